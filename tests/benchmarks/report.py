"""Results as a table for people and a JSON for programs."""

import datetime
import json
import os
import pathlib
import platform
import statistics

COLUMNS = ("ms", "least ms", "ours /", "cpu", "error", "extra MB", "cold ms")
WIDTHS = (9, 9, 8, 7, 15, 9, 9)


def processor():
    """The processor's name as the kernel gives it."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def machine(versions, n_threads):
    """Where and with what this was measured."""
    return {"date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"), "processor": processor(),
            "n_cores": len(os.sched_getaffinity(0)), "n_threads": n_threads, "load": os.getloadavg(),
            "system": platform.platform(), "python": platform.python_version(), "versions": versions}


def head(facts):
    """The lines above the table."""
    versions = ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
    lines = [f"{facts['processor']}, {facts['n_cores']} cores, {facts['n_threads']} threads, load {facts['load'][0]:.1f}",
             f"Python {facts['python']}; {versions}", "",
             "ms: median and least of alternating calls. ours /: median of ours/theirs, pair by pair (below 1: gpuplot is faster);",
             "cpu: the same of processor time. error: against the float64 definition, cells as largest difference over largest",
             "value, pictures as share of differing pixels (largest channel difference), arrays as elements that differ from ours.",
             "extra MB: peak of the first call in a fresh process above array and imports, for arrays of one call, the result",
             "included. cold ms: imports and first call there.", "",
             _row("", COLUMNS)]
    return "\n".join(lines)


def _row(name, values):
    return f"{name:<38}" + "".join(f"{value:>{width}}" for value, width in zip(values, WIDTHS))


def ms_text(seconds):
    """A time in one cell of the table."""
    ms = 1000 * seconds
    return f"{ms:.3f}" if ms < 10 else f"{ms:.1f}" if ms < 1000 else f"{ms:.0f}"


def error_text(error):
    """An error in one cell of the table."""
    if not error:
        return ""
    if "failed" in error:
        return "failed"
    if error["kind"] == "elements":
        return f"{error['n_differing']} differ" if error["n_differing"] else "equal"
    if error["kind"] == "pixels":
        return f"{100 * error['share_differing']:.2f} % ({error['max_channel']})"
    marks = f" {error['n_wrong_marks']}!" if error["n_wrong_marks"] else ""
    return f"{error['max_relative']:.1e}{marks}" if error["max_relative"] else f"0{marks}"


def _fresh_texts(entry):
    fresh = entry.get("fresh")
    if not fresh:
        return f"{entry['extra_bytes'] / 1e6:.1f}" if "extra_bytes" in entry else "", ""
    if "error" in fresh:
        return "failed", "failed"
    return f"{fresh['extra_bytes'] / 1e6:.1f}", ms_text(fresh["cold_s"])


def _size_text(entry):
    return f" {entry['file_bytes'] / 1000:.0f} kB" if entry.get("file_bytes") else ""


def block(result):
    """The lines of one case."""
    mine = result["ours"]
    times = next((o["pair"]["ours"] for o in result["opponents"] if "pair" in o), mine.get("times"))
    lines = [f"\n{result['name']}    [{result['array']}]    {mine['typed']}"]
    if "error_text" in mine:
        return "\n".join([*lines, f"  failed: {mine['error_text']}"])
    lines.append(_line(mine, times, None, None))
    for other in result["opponents"]:
        if "not_run" in other:
            lines.append(f"  {other['name']:<36}  not run: {other['not_run']}")
            continue
        lines.append(_line(other, other["pair"]["theirs"], other["pair"], other.get("bound")))
    return "\n".join(lines)


def _line(entry, times, pair, bound):
    ratio = processor_ratio = ""
    if pair:
        ratio = f"{pair['ratio']:.3f}" if pair["ratio"] < 1 else f"{pair['ratio']:.2f}"
        processor_ratio = f"{pair['processor_ratio']:.2f}"
    values = (ms_text(statistics.median(times)), ms_text(min(times)), ratio, processor_ratio, error_text(entry.get("error")),
              *_fresh_texts(entry))
    remarks = [f"aim {bound:.3g}: {'met' if pair['ratio'] <= bound else 'MISSED'}"] if bound else []
    remarks += [entry["note"]] if entry.get("note") else []
    typed = f"\n      {entry['typed']}" if pair and entry["typed"] != entry["name"] else ""
    text = "; ".join(remarks)
    return _row("  " + entry["name"] + _size_text(entry), values) + (f"   {text}" if text else "") + typed


def imports_block(seconds):
    """The lines of the import times: name -> seconds of each process."""
    lines = ["\nimports, each in fresh processes"]
    lines += [_row("  " + name, (ms_text(statistics.median(s)), ms_text(min(s)))) for name, s in seconds.items()]
    return "\n".join(lines)


def write_json(path, facts, results, imports, on_device, notebook=None):
    """Everything that was measured, unrounded."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"machine": facts, "cases": results, "imports": imports, "device": on_device, "notebook": notebook},
                               indent=1) + "\n")
