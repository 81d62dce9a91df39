"""Makes the tables of results/advice.json, which scripts/advice.py writes."""
import json

from advice import LADDERS, WORTH, names, remedies_of
from tables import table


def times(gain):
    return f"×{gain:.2f}"


def advice_text(step):
    parts = [each["remedy"] + (f" {times(each['gain'])}" if each["gain"] else "") for each in step["advice"]]
    return ", ".join(parts) or "none"


def named(step):
    if step["measured"] < WORTH:
        return ""
    return "yes" if names(step, remedies_of(step)) else "**no**"


def of_ladder(steps):
    """Lists each step of a ladder: its remedy, its gain, and the advice on the rung before it."""
    rows = [[f"{step['before']} → {step['rung']}", step["idea"], ", ".join(step["remedies"]) or "–", times(step["measured"]),
             times(step["predicted"]) if "predicted" in step else "not known", advice_text(step), named(step)]
            for step in steps]
    return table(["step", "idea of the rung", "kind of change", "measured speed-up", "predicted speed-up", "advice on the rung before", "advice names the kind"], rows)


def summary(result):
    """Compares the gaining steps that the advice named with baselines that give every rung the same advice."""
    known = result["summary"]
    rows = [["steps in all", str(known["steps"])],
            ["steps that gained 10 % or more", str(known["gained"])],
            ["gaining steps whose kind some advice covers", str(known["gained_sayable"])],
            ["**gaining steps that a finding on the rung before names (three findings at most)**", f"**{known['named']}**"],
            ["gaining steps that the first finding names", str(known["named_first"])],
            [f"gaining steps that \"{known['commonest']}\" alone for every rung would name", str(known["named_by_commonest"])],
            [f"gaining steps that \"{', '.join(known['always'])}\" for every rung would name", str(known["named_by_always"])],
            ["findings per rung, mean", f"{known['advice_per_rung']:.1f}"]]
    return table(["steps or findings", "number"], rows)


def remedies(result):
    rows = [[remedy, str(row["taken"]), str(row["named"]), str(row["said"])]
            for remedy, row in sorted(result["summary"]["by_remedy"].items(), key=lambda item: -item[1]["taken"])]
    return table(["kind of change", "gaining steps of this kind", "gaining steps that the advice names", "gaining steps before which the advice was given"], rows)


def gains(result):
    """Compares the predicted gains of steps with the measured gains."""
    known = result["summary"]
    return (f"Both rungs of {known['with_prediction']} steps are predicted, and {known['same_side']} of these gains are predicted on the "
            f"right side of ×1; the rank correlation of predicted and measured gains is {known['rank_correlation']:.2f}.")


def rendered(path, part):
    result = json.loads(path.read_text(encoding="utf-8"))
    if part in LADDERS:
        return of_ladder([step for step in result["steps"] if step["ladder"] == part])
    return {"summary": summary, "remedies": remedies, "gains": gains}[part](result)
