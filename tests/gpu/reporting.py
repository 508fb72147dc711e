"""The report of a GPU run: one JSON with everything, one text to read, and the blocks of the pages that tell its figures."""

import json
import pathlib
import re
import statistics

NOT_MEASURED = "not yet measured on a GPU"
BEGIN, END = "<!-- gpu figures: begin -->", "<!-- gpu figures: end -->"
ROOT = pathlib.Path(__file__).resolve().parents[2]
# /opt/x/bin/python3, /opt/x/site-packages/y and /tmp/gpuplot-z/w are python3, site-packages/y and w in a report.
FOLDERS = re.compile(r"(?<![\w.])/(?:[\w.+-]+/)*?(?:bin/|gpuplot-\w+/|(?=site-packages/))")


def read_json(path):
    """What a step wrote, or None."""
    try:
        return json.loads(pathlib.Path(path).read_text())
    except (OSError, ValueError):
        return None


def _slug(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def without_folders(value, root=ROOT):
    """A report, or any part of it, without the folders of the machine that it is of."""
    if isinstance(value, dict):
        return {key: without_folders(item, root) for key, item in value.items()}
    if isinstance(value, list):
        return [without_folders(item, root) for item in value]
    if isinstance(value, str):
        return FOLDERS.sub("", value.replace(f"{root}/", "").replace(str(root), "."))
    return value


class Report:
    """What is known so far; `write` may be called at any time."""

    def __init__(self, folder, facts, is_rehearsal=False, part=""):
        self.facts, self.outcomes, self.results, self.is_rehearsal = facts, {}, {}, is_rehearsal
        gpu = "rehearsal" if is_rehearsal else _slug(facts["gpu"].get("name", "")) or "no-gpu"
        self._stem = pathlib.Path(folder) / "-".join(filter(None, (facts["date"][:10], gpu, part)))

    def path(self, suffix):
        return self._stem.with_name(self._stem.name + suffix)

    def as_dict(self):
        """Everything, unrounded."""
        return without_folders({"format": 1, "is_rehearsal": self.is_rehearsal, "machine": self.facts,
                                "steps": [vars(outcome) for outcome in self.outcomes.values()], "results": self.results})

    def text(self):
        """The report for people."""
        return text_of(self.as_dict())

    def write(self):
        """Writes both files."""
        self.path(".json").write_text(json.dumps(self.as_dict(), indent=1) + "\n")
        self.path(".txt").write_text(self.text())


# ---- the text -----------------------------------------------------------------------------------------------------------


def text_of(report):
    """The lines of a report that was read or is about to be written."""
    text = "\n".join([*_head(report["machine"], report["is_rehearsal"]), "", *_steps(report["steps"]), "",
                      *bench_lines((report["results"] or {}).get("benchmarks")), "", *_failures(report["steps"])])
    return "\n".join(line.rstrip() for line in text.splitlines()).rstrip() + "\n"


def _head(facts, is_rehearsal):
    gpu, after = facts["gpu"], facts.get("gpu_after") or {}
    source = facts["sources"]
    lines = ["A rehearsal on the emulated device: nothing here is a measurement."] if is_rehearsal else []
    lines.append(f"GPU        {gpu.get('name', 'none')}, {gpu.get('memory.total', '?')}, driver {gpu.get('driver_version', '?')}, "
                 f"compute capability {gpu.get('compute_cap', '?')}, MIG {gpu.get('mig.mode.current', '?')}")
    lines.append(f"clocks     SM {gpu.get('clocks.sm', '?')} before, {after.get('clocks.sm', '?')} after, at most "
                 f"{gpu.get('clocks.max.sm', '?')}; memory {gpu.get('clocks.mem', '?')} of {gpu.get('clocks.max.mem', '?')}; as found")
    lines.append(f"host       {facts['processor']}; {facts['system']}; PCIe {gpu.get('pcie.link.gen.current', '?')} x "
                 f"{gpu.get('pcie.link.width.current', '?')}")
    lines.append(f"software   Python {facts['python']}, CUDA {facts['nvcc']['version'] or '?'}; "
                 + ", ".join(f"{name} {version}" for name, version in facts["versions"].items()))
    lines.append(f"sources    {source['commit']}{' and changes' if source['is_changed'] else ''}, digest {source['digest']}")
    lines.append(f"date       {facts['date']}")
    return lines


def _steps(steps):
    return [f"{step['name']:<16} {step['status']:<10} {step['seconds']:6.1f} s  {step['reason']}" for step in steps]


def _failures(steps):
    lines = []
    for step in steps:
        if step["status"] in ("failed", "timed out"):
            lines += [f"---- {step['name']}: {step['command']}", step["tail"], ""]
    return lines


def _ms(seconds):
    if seconds is None:
        return "-"
    ms = 1000 * seconds
    return f"{ms:.3f}" if ms < 10 else f"{ms:.1f}" if ms < 1000 else f"{ms:.0f}"


def _p95(times):
    return sorted(times)[min(len(times) - 1, int(0.95 * len(times)))]


def _gb(n_bytes, seconds):
    return f"{n_bytes / seconds / 1e9:.0f}" if n_bytes and seconds else "-"


def _error(error):
    if not error:
        return "-"
    if "failed" in error:
        return "failed"
    if error["kind"] == "elements":
        return f"{error['n_differing']} differ" if error["n_differing"] else "equal"
    if error["kind"] == "pixels":
        return f"{100 * error['share_differing']:.2f} % px, {error['max_channel']}"
    return f"{error['max_relative']:.1e}" + (f", {error['n_wrong_marks']} marks" if error["n_wrong_marks"] else "")


def _mb(n_bytes):
    return "-" if n_bytes is None else f"{n_bytes / 1e6:.1f}"


ROW = "{:<34}{:>10}{:>10}{:>11}{:>8}{:>8}{:>9}{:>16}{:>11}{:>11}"


def bench_lines(results):
    """The table of the device's benchmarks."""
    if not results or "device" not in results:
        return ["benchmarks: none in this report"]
    device = results["device"]
    if "not_run" in device:
        return [f"benchmarks of the device: not run: {device['not_run']}"]
    light = device["light"]
    lines = [f"speed of light: {light['name']} reads {light['gb_s']:.0f} GB/s" if light else "speed of light: not measured",
             "ms: median wall time to pixels or cells in host memory; ours/: median of ours/theirs, in turns; MB: peak above the input",
             ROW.format("", "ms", "p95 ms", "kernels ms", "GB/s", "light %", "ours/", "error", "device MB", "host MB")]
    for case in device["cases"]:
        lines += ["", f"{case['name']}    [{case['input']}]"]
        lines += [f"    {case['not_run']}"] if "not_run" in case else _case_lines(case, light)
    return lines


def _case_lines(case, light):
    light = case.get("light") or light
    lines = [_bench_line(case["ours"], case, light, "")]
    if case.get("light_aim") and case["ours"].get("kernel_s"):
        share = case["n_bytes"] / case["ours"]["kernel_s"] / 1e9 / light["gb_s"]
        lines.append(f"      aim {100 * case['light_aim']:.0f} % of {light['name']} over the same bytes, {light['gb_s']:.0f} GB/s: "
                     f"{'met' if share >= case['light_aim'] else 'MISSED'}")
    for other in case["opponents"]:
        if "not_run" in other:
            lines.append(f"  {other['name']:<32}  not run: {other['not_run']}")
            continue
        lines.append(_bench_line(other, case, light, f"{other['ratio']:.3f}" if other["ratio"] < 1 else f"{other['ratio']:.2f}"))
        if other.get("bound"):
            lines.append(f"      aim {other['bound']:.3g}: {'met' if other['ratio'] <= other['bound'] else 'MISSED'}")
        lines.append(f"      {other['typed']}" + (f"    ({other['note']})" if other.get("note") else ""))
    return lines


def _bench_line(entry, case, light, ratio):
    kernel_s = entry.get("kernel_s")
    share = "-"
    if kernel_s and light and case.get("n_bytes"):
        share = f"{100 * case['n_bytes'] / kernel_s / 1e9 / light['gb_s']:.0f}"
    return ROW.format("  " + entry["name"][:31], _ms(statistics.median(entry["times"])), _ms(_p95(entry["times"])), _ms(kernel_s),
                      _gb(case.get("n_bytes"), kernel_s), share, ratio, _error(entry.get("error")), _mb(entry.get("device_bytes")),
                      _mb(entry.get("host_bytes")))


# ---- the pages ----------------------------------------------------------------------------------------------------------


def newest(folder):
    """The newest report of a real GPU in a folder whose benchmarks ran, or None."""
    found = [report for path in sorted(pathlib.Path(folder).glob("*.json")) if (report := read_json(path))]
    found = [report for report in found if not report["is_rehearsal"]
             and "cases" in ((report["results"].get("benchmarks") or {}).get("device") or {})]
    return max(found, key=lambda report: report["machine"]["date"], default=None)


def performance_block(report):
    """The lines between the two marks of docs/performance.md: a sentence without a report, a table with one."""
    if report is None:
        return [f"These figures are of the CPU; the CUDA backend is {NOT_MEASURED}. `tests/gpu/run` measures it."]
    lines = [*_page_head(report), "*Time* is gpuplot's over the other's; everything ends in host memory.", "",
             "| task | gpuplot | its kernels | against | time |", "|---|---|---|---|---|"]
    for case in report["results"]["benchmarks"]["device"]["cases"]:
        if case.get("is_headline") and "not_run" not in case and not case.get("is_conversion"):
            lines += _performance_rows(case)
    return lines


def conversions_block(report):
    """The lines between the two marks of docs/from_any_framework.md."""
    cases = report["results"]["benchmarks"]["device"]["cases"] if report else []
    rows = [row for case in cases if case.get("is_conversion") and "not_run" not in case for row in _conversion_rows(case)]
    if not rows:
        return [f"The rows for CUDA are {NOT_MEASURED}. `tests/gpu/run` measures them there and fills this place in."]
    return [*_page_head(report), "*Time* is gpuplot's over the other's, in turns; *extra* is memory of the device beyond the tensor's.",
            "", "| tensor | gpuplot | against | time | extra, ours | extra, theirs |", "|---|---|---|---|---|---|", *rows]


def _page_head(report):
    machine, device = report["machine"], report["results"]["benchmarks"]["device"]
    light, gpu = device["light"], machine["gpu"]
    head = (f"One run of `tests/gpu/run` on {machine['date'][:10]}: {gpu['name']}, driver {gpu['driver_version']}, CUDA "
            f"{machine['nvcc']['version'] or 'runtime'}"
            + (f", torch {machine['versions']['torch']}" if "torch" in machine["versions"] else "") + ".")
    return [head, *([f"{light['name']} reads {light['gb_s']:.0f} GB/s here."] if light else [])]


def _ratio(ratio):
    return "< 0.001" if ratio < 0.0005 else f"{ratio:.3f}" if ratio < 0.1 else f"{ratio:.2f}"


def _performance_rows(case):
    mine = case["ours"]
    speed = _gb(case.get("n_bytes"), mine.get("kernel_s"))
    kernels = "-" if speed == "-" else f"{speed} GB/s"
    first = [f"{case['name']}, {case['input']}", f"{_ms(statistics.median(mine['times']))} ms", kernels]
    return _rows_against(case, first, lambda other: [other["name"], _ratio(other["ratio"])]) or [f"| {' | '.join(first)} | | |"]


def _conversion_rows(case):
    mine = case["ours"]
    seconds = statistics.median(mine["times"])
    first = [f"{case['name'].removeprefix('asnumpy, ')}: {case['input']}",
             f"{_ms(seconds)} ms, {case['n_bytes_moved'] / seconds / 1e9:.1f} GB/s"]

    def words(other):
        return [f"`{other['name']}`", _ratio(other["ratio"]), f"{_mb(mine['device_bytes'])} MB", f"{_mb(other['device_bytes'])} MB"]

    return _rows_against(case, first, words)


def _rows_against(case, first, words):
    """A row for each opponent; what they share is said in the first one only."""
    rows = []
    for other in case["opponents"]:
        if "not_run" not in other:
            rows.append(f"| {' | '.join([*first, *words(other)])} |")
            first = [""] * len(first)
    return rows


def block_in(page):
    """What a page has between the marks, as lines."""
    return page.split(BEGIN, 1)[1].split(END, 1)[0].strip().splitlines()


def rewrite(path, lines):
    """Puts lines between the marks of a page."""
    text = path.read_text()
    joined = "\n".join(lines)
    path.write_text(text.split(BEGIN, 1)[0] + f"{BEGIN}\n{joined}\n{END}" + text.split(END, 1)[1])


if __name__ == "__main__":  # rewrites the blocks of the pages from the newest report
    here = pathlib.Path(__file__).resolve().parent
    report = newest(here / "reports")
    rewrite(here.parents[1] / "docs" / "performance.md", performance_block(report))
    rewrite(here.parents[1] / "docs" / "from_any_framework.md", conversions_block(report))
