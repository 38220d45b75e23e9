#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables as they are downloaded: nimgp check and nimgp fit, told only the label.
usage: PROGRAM [TEST...]"""
import pathlib

import catalogues
from cli_check import check, main

QUICK = ["--calibrate", "none", "--epochs", "1", "--stop", "fixed", "--inducing", "4", "--population", "flat"]
DATA = pathlib.Path(__file__).resolve().parents[2].parent / "shared" / "data" / "catalogues"


def learned(nimgp):
    return {f["name"]: f["error"] for f in nimgp("inspect", "m", "--json").json()["features"]}


def headers(nimgp):
    """Of every catalogue of the survey all error columns are found, and nothing else is learned; check says it before."""
    for title, (measured, others) in catalogues.read().items():
        head, rows = catalogues.table(measured, others)
        nimgp.write_rows("t.csv", head, rows)
        nimgp("fit", "t.csv", "-o", "m", "--label", "class", "-q", *QUICK)
        check(learned(nimgp) == measured, title, learned(nimgp), "for", measured)
        columns = nimgp("check", "t.csv", "--json").json()["columns"]
        said = {c["name"]: c.get("errors") for c in columns if c["role"] == "feature"}
        check(said == measured, title, said)


TOI = """TIC ID,TOI,TESS Disposition,TFOPWG Disposition,TESS Mag,TESS Mag err,Source,RA,Dec,PM RA (mas/yr),
PM RA err (mas/yr),Period (days),Period (days) err,Depth (ppm),Depth (ppm) err,Planet SNR,Sectors,Comments"""


def whole_table(nimgp):
    """An identifier, a sentinel, an empty column of errors, a give-away, a position, texts: each is said in one line."""
    import random
    make = random.Random(3)
    rows = []
    for i in range(90):
        kind = make.choice(["KP", "CP", "FP"])
        rows.append([make.randrange(10**6, 10**9), f"{100 + i}.01", make.choice(["PC", "KP"]), kind,
                     99 if i % 9 == 0 else make.gauss(10, 1), 0.1, make.choice(["spoc", "qlp"]),
                     f"{i % 24:02d}:12:30", make.gauss(0, 30), make.gauss(0, 3), make.uniform(.1, .2), make.gauss(9, 1),
                     "", make.gauss(0, 1) + (kind == "FP"), 0.3, int(kind == "CP"), "1;2", f"note {i}"])
    nimgp.write_rows("toi.csv", TOI.replace("\n", "").split(","), rows)
    nimgp.refuses("fit", "toi.csv", "-o", "m", says=["TESS Disposition, TFOPWG Disposition, Source", "--label"])
    said = nimgp("fit", "toi.csv", "-o", "m", "--label", "TFOPWG Disposition", *QUICK).err
    check(learned(nimgp) == {"TESS Mag": "TESS Mag err", "Dec": None, "PM RA (mas/yr)": "PM RA err (mas/yr)",
                             "Period (days)": "Period (days) err", "Depth (ppm)": "Depth (ppm) err",
                             "Planet SNR": None}, learned(nimgp))
    for part in ("identifiers: TIC ID, TOI;", "text are not used: TESS Disposition, Source, RA, Sectors, Comments",
                 "gives a class away: Planet SNR;", "positions are learned from, too: Dec;",
                 "taken as missing: TESS Mag (10 cells are 99);", "errors count as unknown: Period (days);"):
        check(sum(part in line for line in said.splitlines()) == 1, part, "is not in", said)
    told = {c["name"]: c for c in nimgp("check", "toi.csv", "--json", "--label", "TFOPWG Disposition").json()["columns"]}
    check(told["TESS Mag"]["sentinels"] == [99] and told["Planet SNR"]["gives_away"])
    check({name for name, c in told.items() if c["role"] == "feature"} == set(learned(nimgp)), told)
    check(nimgp("fit", "toi.csv", "--check").out == nimgp("check", "toi.csv").out)
    label = ["--label", "TFOPWG Disposition"]
    check("a fit takes roughly" in nimgp("check", "toi.csv", *label).err and
          "a fit takes" not in nimgp("check", "toi.csv").err)
    check(nimgp("check", "toi.csv", *label, "--json").json()["fit_seconds"] > 0)
    # The first rows need not have all classes.
    nimgp.write_rows("sorted.csv", ["x", "class"], [[make.gauss(i > 5000, 1), "ab"[i > 5000]] for i in range(6000)])
    check(nimgp("check", "sorted.csv", "--json").json()["fit_seconds"] > 0)


def lengths(nimgp):
    """Gravitational waves: x_lower and x_upper are the lengths of the error bar, also for other tables."""
    import random
    make = random.Random(1)
    rows = [[make.uniform(5, 80), -make.random(), make.random(), make.uniform(-1, 1), -make.random() / 5,
             make.random() / 5, make.choice("ab")] for _ in range(60)]
    head = [name + side for name in ("mass_1", "chi_eff") for side in ("", "_lower", "_upper")]
    nimgp.write_rows("gw.csv", [*head, "class"], rows)
    nimgp("fit", "gw.csv", "-o", "m", *QUICK)
    check(learned(nimgp) == {name: f"{name}_lower:{name}_upper" for name in ("mass_1", "chi_eff")}, learned(nimgp))
    nimgp("predict", "m", "gw.csv")
    nimgp("fit", "gw.csv", "-o", "m", "--features", "mass_1", *QUICK)
    check(learned(nimgp) == {"mass_1": "mass_1_lower:mass_1_upper"}, learned(nimgp))


def downloaded(nimgp):
    """The tables of ../shared, where they are."""
    if not DATA.is_dir():
        print("        SKIPPED: no", DATA)
        return
    for name, label, task, errors, missing, away in [
            ("koi.csv.gz", "koi_disposition", "classify", 11, {}, ["koi_score", "koi_fpflag_nt", "koi_fpflag_ss",
                                                                   "koi_fpflag_co", "koi_fpflag_ec"]),
            ("galaxies.csv.gz", "redshift", "regress", 6, {"mag_u_lsst": 99, "mag_g_lsst": 99}, []),
            ("sdss_galaxies_train.csv.gz", "redshift", "regress", 9, {}, []),
            ("sdss_quasars.tab.gz", "z", "regress", 5, {"ROSAT": -9}, []),
            ("pantheon_plus.dat.gz", "zHD", "regress", 12, {"CEPH_DIST": -9, "HOST_ANGSEP": -9, "HOST_LOGMASS": -9,
                                                            "HOST_LOGMASS_ERR": -9}, ["zCMB", "zHEL"])]:
        result = nimgp("check", DATA / name, "--label", label, "--task", task, "--json").json()["columns"]
        features = [c for c in result if c["role"] == "feature"]
        check(sum("errors" in c for c in features) == errors, name, features)
        used = [c for c in result if c["role"] == "feature" or c["role"].startswith("errors of")]
        check({c["name"]: c["sentinels"][0] for c in used if c["sentinels"]} == missing, name, used)
        check([c["name"] for c in features if c["gives_away"]] == away, name, features)
        check(not [c for c in features if c["name"] in ("id", "kepid", "loc_rowid", "CID", "SDSS")], features)


main([headers, whole_table, lengths, downloaded])
