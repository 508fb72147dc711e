"""Runs the device's rows: errors first, then memory, kernels and times, ours against each opponent in turns."""

import gc
import statistics
import time

import definition
import device as devices
import device_arrays
import device_fresh
import device_timing
import device_truths
import numpy as np
import report

LEAST_BUDGET_S = 0.3


def run_all(cases, side, seconds, most, tell):
    """Every case within so many seconds; a dict for the JSON.

    Parameters
    ----------
    cases : list of Case
    side : int
        Rows and columns of the usual input.
    seconds : float
    most : float
        Seconds for each statement at most.
    tell : callable
        Called with each case's dict when it is done, and with everything so far.
    """
    device, reason = devices.find()
    if device is None:
        return {"not_run": reason}
    end = time.monotonic() + seconds
    found = {"device": device.facts(), "side": side, "light": None, "cases": []}
    light = devices.Light(device)
    for number, case in enumerate(cases):
        left = end - time.monotonic()
        budget = min(most, max(LEAST_BUDGET_S, 0.5 * left / (len(cases) - number) / (1 + len(case.opponents))))
        case_found = _run_or_say_why(case, side, device, light, budget, left)
        found["light"] = found["light"] or case_found.get("light")
        found["cases"].append(case_found)
        tell(case_found, found)
        _forget(device)
    return found


def _run_or_say_why(case, side, device, light, budget, seconds_left):
    head = {"name": case.name, "array": case.array, "input": device_arrays.INPUTS[case.array].words(side),
            "is_headline": case.is_headline, "light_aim": case.light_aim, "is_conversion": bool(case.ours.array)}
    if seconds_left < 2:
        return {**head, "not_run": "no time left"}
    try:
        return {**head, **_run_case(case, side, device, light, budget)}
    except Exception as error:  # the other rows are still worth having
        return {**head, "not_run": f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:200]}"}


def _forget(device):
    gc.collect()
    if device.is_gpu:
        import torch

        torch.cuda.empty_cache()


def _run_case(case, side, device, light, budget):
    inputs = device_arrays.make(case.array, side, device)
    truth = _truth_of(case, inputs[0])
    found = {"n_bytes": inputs[0].numel() * inputs[0].element_size() if case.reads_all else None, "n_inputs": len(inputs)}
    if case.reads_all:
        found["light"] = light.measure([_stored(t) for t in inputs])
    ours = device_timing.Statement(case.ours, inputs, device)
    if case.ours.array:
        truth = _array_of(case.ours, ours, inputs[0])
        found["n_bytes_moved"] = truth.nbytes
    found["ours"] = _entry(case.ours, ours, inputs[0], truth, device)
    found["ours"] |= {"device_bytes": device.held_by_gpuplot()} | device_timing.repeat(ours, budget)
    if case.is_cold:
        found["ours"]["fresh"] = device_fresh.measure(case, case.ours, side)
    found["opponents"] = [_opponent(case, other, ours, inputs, truth, device, side, budget) for other in case.opponents]
    return found


def _stored(t):
    """The bytes that a tensor is a view of, as one contiguous tensor."""
    return t if t.is_contiguous() else t.T if t.T.is_contiguous() else t.contiguous()


def _truth_of(case, t):
    if not case.truth:
        return None
    name, *arguments = case.truth
    return getattr(device_truths, name)(t, *arguments)


def _array_of(contender, statement, first):
    """What a contender makes of the first input, in memory of its own."""
    statement.names["t"] = first
    exec(contender.line, statement.names)
    return np.array(eval(contender.array, statement.names))


def _entry(contender, statement, first, truth, device):
    """What is known about one contender besides its times; the first call is here."""
    found = {"name": contender.name, "typed": contender.typed, "note": contender.note,
             "error": _error_of(contender, statement, first, truth)}
    found["device_bytes"], found["host_bytes"], found["second_s"] = device.memory_of(statement.call)
    kernels = device.kernels_of(statement.call) if found["second_s"] < device_timing.SLOW_S else None
    if kernels:
        found |= {"kernel_s": sum(kernels["kernels"].values()), **kernels}
    return found


def _error_of(contender, statement, first, truth):
    """The error of a contender's result on the first input, or None where there is nothing to compare."""
    if contender.array:
        return definition.measured(definition.array_error, _array_of(contender, statement, first), truth)
    statement.names["t"] = first
    if truth is None or not (contender.cells or contender.picture):
        statement.call()
        return None
    return definition.error_of(contender, statement, truth)


def _opponent(case, contender, ours, inputs, truth, device, side, budget):
    """Ours and one opponent in turns; says why where that can't be."""
    if contender.missing:
        return {"name": contender.name, "typed": contender.typed, "not_run": f"needs {', '.join(contender.missing)}"}
    try:
        theirs = device_timing.Statement(contender, inputs, device)
        found = _entry(contender, theirs, inputs[0], truth, device)
        pair = device_timing.alternate(ours, theirs, budget, found["second_s"])
        if case.is_cold:
            found["fresh"] = device_fresh.measure(case, contender, side)
    except Exception as error:  # an opponent that refuses the tensor is a result, not the end of the table
        return {"name": contender.name, "typed": contender.typed,
                "not_run": f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:120]}"}
    return {**found, "times": pair["theirs"], "ours_times": pair["ours"], "ratio": pair["ratio"],
            "bound": case.bounds.get(contender.name)}


# ---- the table ----------------------------------------------------------------------------------------------------------


ROW = "{:<36}{:>10}{:>10}{:>8}{:>8}{:>16}"


def head():
    """The lines above the table."""
    return "\nThe device. ms: median wall time to host memory; ours /: median of ours/theirs\n" + \
        ROW.format("", "ms", "kernels", "GB/s", "ours /", "error")


def block(case):
    """The lines of one case."""
    lines = [f"\n{case['name']}    [{case['input']}]"]
    if "not_run" in case:
        return "\n".join([*lines, f"  not run: {case['not_run']}"])
    lines.append(_line(case["ours"], case, "") + f"   {case['ours']['typed']}")
    for other in case["opponents"]:
        if "not_run" in other:
            lines.append(f"  {other['name']:<34}  not run: {other['not_run']}")
            continue
        ratio = f"{other['ratio']:.3f}" if other["ratio"] < 1 else f"{other['ratio']:.2f}"
        lines.append(_line(other, case, ratio) + f"   {other['typed']}")
    return "\n".join(lines)


def _line(entry, case, ratio):
    kernel_s = entry.get("kernel_s")
    rate = f"{case['n_bytes'] / kernel_s / 1e9:.0f}" if kernel_s and case["n_bytes"] else "-"
    kernel_text = report.ms_text(kernel_s) if kernel_s else "-"
    return ROW.format("  " + entry["name"], report.ms_text(statistics.median(entry["times"])), kernel_text, rate, ratio,
                      report.error_text(entry.get("error")))
