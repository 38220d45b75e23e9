#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Fermi catalogue 4FGL, for real: fit as the manual says, then classify what nobody has. Needs the
catalogue (NIMGP_DATA). usage: PROGRAM"""
from cli_check import check, main, near
from program import data_directory, skip

QUICK = ["--calibrate", "none", "--population", "gaussian", "--inducing", "30", "--points", "32"]
FEATURES = "Flux1000,Signif_Avg,Pivot_Energy,LP_SigCurv,LP_Index,LP_beta"


def catalogue():
    path = data_directory()
    path = path / "astro" / "gll_psc_v27.fit.gz" if path else None
    return path if path and path.exists() else None


def fits(nimgp):
    """As typed in the manual; what it says is right; the unassociated sources get probabilities."""
    table = catalogue()
    fitted = nimgp("fit", table, "--label", "CLASS1", "--classes", "bll,fsrq,psr", "--ignore-case",
                   "--features", FEATURES, "-o", "m.nimgp", *QUICK, "--epochs", "12")
    pairs = {line.split()[0]: line.split()[1:] for line in fitted.err.splitlines()
             if line.startswith("  ")}
    check(pairs["Flux1000"][0] == "Unc_Flux1000" and "cm-2" in pairs["Flux1000"], pairs)
    check(pairs["LP_Index"][0] == "Unc_LP_Index" and pairs["LP_beta"][0] == "Unc_LP_beta", pairs)
    check(pairs["Signif_Avg"][0] == "-", pairs)
    check("--log auto would" in fitted.err, fitted.err)
    classes = nimgp("convert", table, "-", "--columns", "CLASS1").rows()
    names = [row["CLASS1"].strip().lower() for row in classes]
    for name in ("bll", "fsrq", "psr"):
        check(f"{name}: {names.count(name)}" in fitted.err, name, names.count(name), fitted.err)
    without = names.count("")
    check(f"{without} without a label" in fitted.err, without)

    unknown = nimgp("predict", "m.nimgp", table, "--where", "CLASS1 = ''", "--keep-only",
                    "Source_Name").rows()
    check(len(unknown) == without, len(unknown), without)
    for row in unknown:
        p = [float(row["p_" + name]) for name in ("bll", "fsrq", "psr")]
        check(near(sum(p), 1.0) and row["Source_Name"].startswith("4FGL J"), row)
    found = nimgp("evaluate", "m.nimgp", table, "--json").json()
    majority = 1 - max(names.count(name) for name in ("bll", "fsrq", "psr")) / found["rows"]
    check(found["error"]["value"] < 0.5 * majority, "no better than guessing:", found["error"])


def logarithms(nimgp):
    """--log auto takes what is positive and skewed, and predict follows; FITS out is CSV out."""
    table = catalogue()
    nimgp("fit", table, "--label", "CLASS1", "--classes", "bll,fsrq,psr", "--ignore-case",
          "--features", FEATURES, "--log", "auto", "-o", "m.nimgp", *QUICK, "--epochs", "5")
    names = [feature["name"] for feature in nimgp("inspect", "m.nimgp", "--json").json()["features"]]
    check(names == ["log(Flux1000)", "log(Signif_Avg)", "log(Pivot_Energy)", "LP_SigCurv",
                    "LP_Index", "LP_beta"], names)
    words = ["predict", "m.nimgp", table, "--where", "CLASS1 = ''", "--keep"]
    nimgp(*words, "-o", "u.fits")
    plain, fits_rows = nimgp(*words).rows(), nimgp("convert", "u.fits", "-").rows()
    check(len(plain) == len(fits_rows) > 1000)
    for a, b in zip(plain, fits_rows):
        check(a["predicted"] == b["predicted"] and float(a["p_psr"]) == float(b["p_psr"]), a, b)
        check(a["Source_Name"] == b["Source_Name"])


if __name__ == "__main__":
    if not catalogue():
        skip("no astro/gll_psc_v27.fit.gz; NIMGP_DATA says where the data are")
    main([fits, logarithms])
