#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the seeds of the fuzz targets that are not models: small files of each format with all that it
knows; and a model with letters in its header that other programs write as escapes. What fuzzing adds (findings, inputs that reach more code) lies beside them and is left alone.

usage: make_seeds.py PROGRAM"""
import base64
import gzip
import pathlib
import struct
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import row_file # noqa: E402

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus"

TABLE = "x,x_err,name,class\n1.5,0.1,a,u\n-2e3,,\"b, \"\"c\"\"\",v\nNaN,0.2, d ,u\n9007199254740993,1,,v\n"


def votable(fields, data):
    return f"<?xml version='1.0'?><VOTABLE><RESOURCE><TABLE>{fields}<DATA>{data}</DATA></TABLE></RESOURCE></VOTABLE>"


def stream(kind, data):
    return f"<{kind}><STREAM encoding='base64'>{base64.b64encode(data).decode()}</STREAM></{kind}>"


SEEDS = {
    "csv": {
        "plain": TABLE,
        "tabs": "a\tb\n1\t2\n3\t4\n",
        "semicolons": "\ufeffa;b;c\r\n1,5;2;x\r\n;;\r\n",
        "comments": "# one\n\n# two\nx,y\n1,2\n\n3,4",
        "quotes": "a,\"b\nc\",d\n\"1\",\"x\ny\",\"\"\"\"\n",
        "cells": "a,b\n1,2,3\n4\n",
        "headerless": "5.1,3.5,setosa\n4.9,3.0,setosa\n",
        "missing": "a,b,c,d,e,f\nNA,null,--,N/A,nan,inf\n",
        "alone": "x\n1\n2\n",
        "header": "x,y\n",
        "numbers": "x\n0.1\n1e308\n1e-320\n123456789012345678901234567890\n.5\n5.\n+1\n1e5\n-0\n",
    },
    "ecsv": {
        "braces": "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: x, unit: m / s, datatype: float64}\n"
                  "# - {name: 'a, b', datatype: string, description: \"c\\u00e9 \\\"d\\\"\"}\n"
                  "# - {name: good, datatype: bool, meta: {a: [1, {b: 2}]}}\n# meta: !!omap\n# - {name: no}\n"
                  "# schema: astropy-2.0\nx \"a, b\" good\n1.5 \"two words\" True\n\"\" \"\" False\n",
        "lines": "# %ECSV 1.0\n# ---\n# delimiter: ','\n# datatype:\n# - name: x\n#   unit: m\n"
                 "#   datatype: int64\n#   meta:\n#     name: longer\n"
                 "# - name: y\n#   datatype: string\n#   subtype: float64[2]\nx,y\n"
                 "9007199254740993,\"[1,2]\"\n-1,\n",
        "names": "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: x, datatype: int8}\ny\n1\n",
        "cut": "# %ECSV 1.0\n# ---\n# datatype:\n# - {name: x, meta: [[{\nx\n1\n",
    },
    "votable": {
        "text": votable("<FIELD name='x' datatype='double' unit='m'><DESCRIPTION>d</DESCRIPTION></FIELD>"
                        "<FIELD ID='i' datatype='int'><VALUES null='-99'/></FIELD>"
                        "<FIELD name='s' datatype='unicodeChar' arraysize='*'/>"
                        "<FIELD name='v' datatype='short' arraysize='2x2'/><FIELD name='b' datatype='boolean'/>"
                        "<FIELD name='l' datatype='long'/><FIELD name='c' datatype='doubleComplex'/>",
                        "<TABLEDATA><TR><TD>1.5</TD><TD>-99</TD><TD>a &lt; &#x3b1;<![CDATA[<b>]]></TD>"
                        "<TD>1 2 3 4</TD><TD>T</TD><TD>9007199254740993</TD><TD>1 2</TD></TR>"
                        "<TR><TD/><TD>0x1F</TD><TD/><TD>0 0 0 0</TD><TD>?</TD><TD>1</TD><TD/></TR></TABLEDATA>"),
        "binary": votable("<FIELD name='x' datatype='float'/><FIELD name='s' datatype='char' arraysize='*'/>"
                          "<FIELD name='n' datatype='int' arraysize='*'/>",
                          stream("BINARY", struct.pack(">fI2sI2i", 1.5, 2, b"ab", 2, 1, 2) * 3)),
        "binary2": votable("<FIELD name='x' datatype='double'/><FIELD name='u' datatype='unicodeChar' arraysize='2'/>"
                           "<FIELD name='k' datatype='long'/><FIELD name='b' datatype='bit' arraysize='9'/>",
                           stream("BINARY2", struct.pack(">Bd4sq2s", 0, 0.5, "\u03b1b".encode("utf-16-be"), 2**60, b"\xff\1")
                                  + struct.pack(">Bd4sq2s", 0xa0, 0, bytes(4), 0, bytes(2)))),
        "pairs": votable("<FIELD name='u' datatype='unicodeChar' arraysize='*'/><FIELD name='v' datatype='float' "
                         "arraysize='3'/><FIELD name='f' datatype='floatComplex'/>",
                         stream("BINARY", struct.pack(">I8s5f", 4, "a\U0001d6fcb".encode("utf-16-be"), 1, 2, 3, 4, 5))),
        "latin": votable("<FIELD name='x' datatype='int'/>", "").replace("'1.0'", "'1.0' encoding='latin1'"),
        "elsewhere": votable("<FIELD name='x' datatype='int'/>", "<BINARY><STREAM href='http://a/b'/></BINARY>"),
        "cells": votable("<FIELD name='x' datatype='int'/>",
                         "<TABLEDATA><TR><TD>1</TD></TR><TR><TD>1</TD><TD>2</TD></TR></TABLEDATA>"),
        "long": votable(f"<FIELD name='x' datatype='int' utype='{'long ' * 70}'/>",
                        "<TABLEDATA><TR><TD>1</TD></TR></TABLEDATA>"),
        "empty": votable("<FIELD name='x' datatype='int'/>", ""),
        "entity": "<!DOCTYPE x [<!ENTITY a 'b'>]>" + votable("<FIELD name='&a;' datatype='int'/>", ""),
        "service": "<VOTABLE><INFO name='QUERY_STATUS' value='ERROR'>no</INFO></VOTABLE>",
        "comments": "<!-- <a> --><vot:VOTABLE xmlns:vot='x'><?p q?><vot:RESOURCE/></vot:VOTABLE>",
    },
    "where": {
        "numbers": "x > 1\nx <= 1e300\n",
        "words": "name = 'b b'\nname != a\n",
        "missing": "x = ''\nempty != ''\n",
        "quotes": "\"'q'\" >= 2\n'class and' == u\n",
        "wrong": "x\n= 1\nx > a\nno = 1\nx > 1 and name = a\n",
    },
    "options": {
        "fit": "fit\ntrain.csv\n-o\nm\n--kernel\nmatern52\n--epochs=7\n--memory\n1G\n",
        "predict": "predict\nm\nt.csv\n-om.csv\n--where\nx > 1\n--keep\n--prior\na=0.5\n--coverage\n0.9\n--novelty\n",
        "evaluate": "evaluate\nt.csv\n--folds\n5\n--groups\nid\n--kernel\nse\n--json\n",
        "numbers": "fit\n--seed\n9007199254740992\n--alpha\n0.5\n--threads\n-1\n",
        "simulate": "simulate\ntoy\n-o\nd\n--seed=3\n--noise\n0.1\n",
        "convert": "convert\na.vot\nb.ecsv\n--to\necsv\n--columns\nx*\n",
        "set": "fit\nalpha=auto\nbatch=1e3\njitter=1e-9\nkernel=se\nseed=9007199254740993\ninput=auto\n",
        "help": "report\n--help\n-h\n--\n-\n",
    },
    "columns": {
        "plain": "\n\n\n\n" + TABLE,
        "features": "log(x),name\nx=x_err\nx\n\n" + TABLE,
        "errors": "\nnone\nauto\n\nflux,Unc_Flux,flux_err,dflux,e_mag,mag,id,class\n1,2,3,4,5,6,7,a\n2,3,4,5,6,7,8,b\n",
        "asymmetric": "\n\n\n\nx,x_err1,x_err2,xerr_lo,x_error_upper,y_err,y\n1,2,3,4,5,6,7\n",
        "pairs": "x,log(y),x-y\nx=x_err2:x_err1,y=[y_lo:y_hi]\n\n\n"
                 "x,x_err1,x_err2,y,y_lo,y_hi,E_y,e_y,class\n1,.2,-.1,3,2,9,1,1,a\n2,,-1e308,1e-320,0,1e308,,0,b\n",
        "limits": "\n\nauto\n\nx,x_limit,l_y,y,ylim,z,zlim,y_err\n1,<,>,2,0,3,1,.1\n2,,=,3,1,3,-1,\n3,<=,~,4,-1,,0,0\n",
        "correlations": "b,log(a),c-b\n\n\n\na,b,a_err,b_err,a_b_corr,b_a_corr,c,c_b_corr,e_c\n"
                        "1,2,.1,.2,.9,-1,3,0,.1\n2,3,.1,,1.5,,4,,1\n",
        "formulas": "a - b,log10(a),log(?),*\nb=e\n\n\na,b,a_err,e,a-1,class\n1,2,3,4,5,x\n2,3,4,5,6,y\n",
        "exclude": "\n\n\n*_flag,b?,a\na,b1,b2,a_flag,c,class\n1,2,3,4,5,x\n2,3,4,5,6,y\n",
        "twice": "x,x\n\n\n\nx,X,x\n1,2,3\n",
        "quoted": "\"a,b\",x=y\nx=y==,\"a,b=say \"\"x\"\"\"\n\n\n\"a,b\",\"say \"\"x\"\"\",=,x=y\n1,2,3,4\n",
    },
    "gzip": {"plain": b"\0\0" + TABLE.encode(), "cut": b"\1\x80" + TABLE.encode(), "wrong": b"\2\x40" + TABLE.encode()},
}


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    files = {name: {key: text.encode() if isinstance(text, str) else text for key, text in seeds.items()}
             for name, seeds in SEEDS.items()}
    files["gzip"]["gzip"] = gzip.compress(TABLE.encode(), mtime=0)
    files["gzip"]["two"] = gzip.compress(b"x,y\n", mtime=0) + gzip.compress(b"1,2\n", mtime=0)
    columns = [{"name": "x", "unit": "Jy"}, {"name": "class", "words": ["a", "b \u00e9"]}]
    rows = [[1.5, "a"], [None, "b \u00e9"], [-2e300, None]]
    files["rows"] = {
        "plain": row_file.write(columns, rows), "swapped": row_file.write(columns, rows, order=">"),
        "none": row_file.write(columns, []), "version": row_file.write(columns, rows, version=2),
        "numbers": row_file.write([{"name": str(i)} for i in range(9)], [[i * 0.1 for i in range(9)]] * 7),
        "number": row_file.write([{"name": "n", "words": ["1", "NaN", "2x"]}], [["1"], ["NaN"], ["2x"]]),
        "beyond": row_file.write([{"name": "n"}], [[7.5]]).replace(b'"}]', b'","words":[]}]'),
        "cut": row_file.write(columns, rows)[:-40],
    }
    for name, content in files.items():
        folder = CORPUS / name
        folder.mkdir(parents=True, exist_ok=True)
        for key, data in content.items():
            (folder / key).write_bytes(data)
    model = (CORPUS / "model" / "gaussian").read_bytes()
    header = model[8:8 + int.from_bytes(model[:8], "little")].rstrip()
    header = header.replace(b'"inducing"', rb'"note.\u00e9":"\ud835\udefc \u03b1\t\"\/","inducing"', 1)
    header += b" " * (-len(header) % 8)
    (CORPUS / "model" / "escapes").write_bytes(
        struct.pack("<Q", len(header)) + header + model[8 + int.from_bytes(model[:8], "little"):])
    folder = CORPUS / "fits"
    folder.mkdir(exist_ok=True)
    for key in ("plain", "numbers"):
        subprocess.run([program, "convert", CORPUS / "csv" / key, folder / f"{key}.fits", "-q"], check=True)
        (folder / f"{key}.fits").replace(folder / key)
    # The rarer types, and a null.
    cards = ["XTENSION= 'BINTABLE'", "BITPIX  =                    8", "NAXIS   =                    2",
             "NAXIS1  =                   34", "NAXIS2  =                    2", "PCOUNT  =                    0",
             "GCOUNT  =                    1", "TFIELDS =                    7", "TTYPE1  = 'l'", "TFORM1  = 'L'",
             "TFORM2  = 'B'", "TTYPE2  = 'b'", "TNULL2  =                    7", "TFORM3  = 'I'", "TTYPE3  = 'i'",
             "TSCAL3  =                  0.5", "TZERO3  =                32768", "TFORM4  = '2J'", "TTYPE4  = 'j'",
             "TFORM5  = 'K'", "TTYPE5  = 'k'", "TFORM6  = 'E'", "TTYPE6  = 'e'", "TUNIT6  = 'Jy'", "TFORM7  = '6A'",
             "TTYPE7  = 'a'", "END"]
    head = ["SIMPLE  =                    T", "BITPIX  =                    8", "NAXIS   =                    0",
            "EXTEND  =                    T", "END"]

    def block(lines):
        text = "".join(line.ljust(80) for line in lines)
        return text.ljust(-(-len(text) // 2880) * 2880).encode()

    row = b"T" + b"\7" + b"\0\1" + bytes(8) + bytes(8) + struct.pack(">f", 1.5) + b"ab    " + bytes(4)
    (folder / "types").write_bytes(block(head) + block(cards) + (row * 2).ljust(2880, b"\0"))
    # A table in letters, with Fortran's exponents and decimals that are not written.
    cards = ["XTENSION= 'TABLE   '", "BITPIX  =                    8", "NAXIS   =                    2",
             "NAXIS1  =                   24", "NAXIS2  =                    3", "PCOUNT  =                    0",
             "GCOUNT  =                    1", "TFIELDS =                    4", "TTYPE1  = 'i'", "TFORM1  = 'I4'",
             "TBCOL1  =                    1", "TNULL1  = '-99'", "TTYPE2  = 'f'", "TFORM2  = 'F6.2'",
             "TBCOL2  =                    6", "TTYPE3  = 'd'", "TFORM3  = 'D7.1'", "TBCOL3  =                   13",
             "TTYPE4  = 'a'", "TFORM4  = 'A4'", "TBCOL4  =                   21", "END"]
    rows = b"   1   1250 1.5D+03 ab  " + b" -99  -1.25         cd  " + b" 3    2.5e1 x      ef  ".ljust(24)
    (folder / "letters").write_bytes(block(head) + block(cards) + rows.ljust(2880, b" "))


if __name__ == "__main__":
    main()
