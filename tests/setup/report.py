"""Say where the time of a make target went: its stages, and the ten slowest files of tests."""

import json
from pathlib import Path

BUILD = Path(__file__).resolve().parents[2] / "build"


def main():
    print("== where the time went")
    stages = [line.split("\t") for line in (BUILD / "stages").read_text().splitlines()]
    for seconds, heading in stages:
        print(f"{seconds:>7} s  {heading}")
    print(f"{sum(int(seconds) for seconds, _ in stages):>7} s  in all")
    report = BUILD / "reports" / "seconds.json"
    if report.exists():
        files = json.loads(report.read_text())
        print("the slowest files, in seconds of one worker:")
        for file, seconds in sorted(files.items(), key=lambda row: -row[1])[:10]:
            print(f"{seconds:7.1f} s  {file}")


if __name__ == "__main__":
    main()
