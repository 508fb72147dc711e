"""The benchmarks: gpuplot and what people use today, in turns, as one table and one JSON file.

usage: python tests/benchmarks/run.py [--quick] [--only NAME]... [--threads N] [--json FILE] [--no-fresh] [--list]
                                       [--device auto|only|none] [--seconds S] [--side N]
The rows of a GPU run where torch finds one, on tensors in its memory, after those of the CPU. The last part, --only inspect, drives
the inspector and ipympl in JupyterLab, where a browser is found.
GPUPLOT_CPU_LEVEL chooses the level of vector instructions. Times are printed; nothing here fails because of one.
"""

import argparse
import gc
import importlib.metadata
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LIBRARIES = ("gpuplot", "numpy", "matplotlib", "torch", "datashader", "fast-histogram", "tsdownsample", "pillow",
             "opencv-python-headless", "tensorflow", "tensorflow-cpu", "jax", "jupyterlab", "ipympl")
THREAD_VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS", "OPENCV_FOR_THREADS_NUM")


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="the main rows, in a minute or two")
    parser.add_argument("--only", action="append", metavar="NAME", help="rows whose name contains NAME; may be repeated")
    parser.add_argument("--threads", type=int, metavar="N", help="threads for everybody (default: all cores)")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="default: tests/benchmarks/results/...")
    parser.add_argument("--budget", type=float, metavar="S", help="seconds for each pair; of the GPU: for each statement, at most")
    parser.add_argument("--no-fresh", action="store_true", help="leave out memory, first calls and imports")
    parser.add_argument("--list", action="store_true", help="only name the rows")
    parser.add_argument("--device", choices=("auto", "only", "none"), default="auto", help="the rows of a GPU (auto: if there is one)")
    parser.add_argument("--seconds", type=float, metavar="S", help="for all rows of the GPU together")
    parser.add_argument("--side", type=int, default=16384, metavar="N",
                        help="rows and columns of the usual input of the GPU and of JupyterLab")
    options = parser.parse_args()
    options.budget = options.budget or (0.6 if options.quick else 3.0)
    options.seconds = options.seconds or (60.0 if options.quick else 240.0)
    return options


def chosen(options):
    """The cases that the command line asks for."""
    import cases_cells
    import cases_colors
    import cases_conversions
    import cases_elements
    import cases_histograms
    import cases_lines
    import cases_pictures
    import cases_points

    if options.device == "only":
        return []
    modules = (cases_cells, cases_elements, cases_pictures, cases_colors, cases_histograms, cases_lines, cases_points,
               cases_conversions)
    return _asked_for([case for module in modules for case in module.all_cases()], options)


def chosen_on_device(options):
    """The device's cases that the command line asks for."""
    import cases_device
    import cases_device_conversions
    import cases_device_plots
    import cases_device_summaries

    cases = [*cases_device.all_cases(options.side), *cases_device_summaries.all_cases(), *cases_device_plots.all_cases(),
             *cases_device_conversions.all_cases()]
    cases.sort(key=lambda case: not case.is_quick)  # time may be over before the others
    return [] if options.device == "none" else _asked_for(cases, options)


def is_notebook_chosen(options):
    """Whether the command line asks for the part in JupyterLab."""
    import notebook_run

    if options.device == "only":
        return False
    return any(name in notebook_run.NAME for name in options.only) if options.only else not options.quick


def _asked_for(cases, options):
    if options.only:
        return [case for case in cases if any(name in case.name for name in options.only)]
    return [case for case in cases if case.is_quick or not options.quick]


def versions():
    """Versions of the libraries that take part."""
    found = {}
    for name in LIBRARIES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    import gpuplot

    found["gpuplot"] = gpuplot.__version__
    if os.environ.get("GPUPLOT_CPU_LEVEL"):
        found["GPUPLOT_CPU_LEVEL"] = os.environ["GPUPLOT_CPU_LEVEL"]
    return found


def compare(contender, statement, truth):
    """The error of a contender's result, or None where there is nothing to compare."""
    import definition

    if truth is None or not (contender.cells or contender.picture):
        return None
    return definition.error_of(contender, statement, truth)


def entry(case, contender, statement, truth, with_fresh):
    """What is known about one contender besides its times."""
    import fresh

    found = {"name": contender.name, "typed": contender.typed, "note": contender.note,
             "error": compare(contender, statement, truth)}
    if contender.array:
        statement.names.pop("r", None)
        found["extra_bytes"] = fresh.extra_bytes(statement.call)
    if contender.file:
        found["file_bytes"] = os.path.getsize(statement.names["path"])
    if with_fresh:
        found["fresh"] = fresh.measure(case, contender)
    return found


def run_opponent(case, contender, ours, a, truth, options):
    """Ours and one opponent in turns; says why where that can't be."""
    import definition
    import timing

    if contender.missing:
        return {"name": contender.name, "not_run": f"needs {', '.join(contender.missing)}"}
    try:
        theirs = timing.Statement(contender, a)
        pair = timing.alternate(ours, theirs, options.budget)
        found = entry(case, contender, theirs, truth, case.is_headline and not (options.no_fresh or options.quick))
        if contender.array:
            found["error"] = definition.array_error(eval(case.ours.array, ours.names), eval(contender.array, theirs.names))
    except Exception as error:  # an opponent that refuses the array is a result, not the end of the table
        return {"name": contender.name, "not_run": f"{type(error).__name__}: {str(error).splitlines()[0][:100]}"}
    return {**found, "pair": pair, "bound": case.bounds.get(contender.name)}


def run_case(case, options):
    """One case: ours against each opponent in turn."""
    import arrays
    import timing
    import truths

    a = arrays.make(case.array)
    result = {"name": case.name, "array": case.array, "opponents": []}
    try:
        ours = timing.Statement(case.ours, a)
        truth = truths.of(case, a)
        ours.call()
        with_fresh = not (options.no_fresh or case.ours.array) and (case.is_headline or not options.quick)
        result["ours"] = entry(case, case.ours, ours, truth, with_fresh)
    except Exception as error:  # the other rows are still worth having
        result["ours"] = {"typed": case.ours.typed, "error_text": f"{type(error).__name__}: {error}"}
        return result
    result["opponents"] = [run_opponent(case, other, ours, a, truth, options) for other in case.opponents]
    return result


def run_imports(n_rounds):
    """Import times, by turns."""
    import fresh

    rows = {"import matplotlib.image": ("import numpy", "matplotlib.image"), "import gpuplot": ("import numpy", "gpuplot"),
            "import gpuplot, after matplotlib.image": ("import matplotlib.image", "gpuplot")}
    seconds = {name: [] for name in rows}
    for _ in range(n_rounds):
        for name, (before, module) in rows.items():
            seconds[name].append(fresh.import_seconds(before, module))
    return seconds


def run_device(cases, options, write):
    """The rows of a GPU, or why they are not run; `write` gets what is known after each, so that an early end loses little."""
    import device_run

    if not cases:
        return {"not_run": "no row was asked for"}
    print(device_run.head(), flush=True)

    def tell(case, found):
        print(device_run.block(case), flush=True)
        write(found)

    found = device_run.run_all(cases, options.side, options.seconds, options.budget, tell)
    if "not_run" in found:
        print(f"  the device part was not run: {found['not_run']}")
    return found


def run_notebook(options):
    """The part in JupyterLab, where it is asked for."""
    import notebook_run

    if not is_notebook_chosen(options):
        return {"not_run": "it was not asked for"}
    found = notebook_run.run(options.side, options.quick)
    print(notebook_run.block(found), flush=True)
    return found


def main():
    """Runs what was asked for and prints each case as it is done."""
    options = arguments()
    for name in THREAD_VARIABLES if options.threads else ():
        os.environ[name] = str(options.threads)
    os.environ.setdefault("MPLBACKEND", "agg")
    os.environ.setdefault("TQDM_DISABLE", "1")  # a bar among the rows
    sys.path[:0] = [str(HERE), str(HERE.parent), str(ROOT)]
    cases, device_cases, notebook = chosen(options), chosen_on_device(options), is_notebook_chosen(options)
    if options.list or not (cases or device_cases or notebook):
        names = [case.name for case in cases] + [f"{case.name} (device)" for case in device_cases]
        names += ["inspect in JupyterLab"] * notebook
        print("\n".join(names) or "no row has such a name; --list names them all")
        return
    import report

    facts = report.machine(versions(), options.threads or len(os.sched_getaffinity(0)))
    print(report.head(facts) if cases else "", flush=True)
    results = []
    for case in cases:
        results.append(run_case(case, options))
        print(report.block(results[-1]), flush=True)
        gc.collect()
    imports = {} if options.no_fresh or options.only or not cases else run_imports(3 if options.quick else 9)
    if imports:
        print(report.imports_block(imports))
    path = options.json or HERE / "results" / f"{facts['date'][:19].replace(':', '')}.json"
    on_device = run_device(device_cases, options, lambda found: report.write_json(path, facts, results, imports, found))
    report.write_json(path, facts, results, imports, on_device, run_notebook(options))
    print(f"\nwritten to {path}")


if __name__ == "__main__":
    main()
