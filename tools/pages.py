#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes man pages, and completion for bash, from what the program prints as help; for the build.

usage: pages.py manual OVERVIEW [HELP]       the page of the program, or of a command
       pages.py completion OVERVIEW HELP...

OVERVIEW is the output of `nimgp help`, HELP that of `nimgp help COMMAND`.
"""
import pathlib
import re
import sys

# What the value of an option is, by its name in the help.
FILES, DIRECTORIES = {"FILE", "MODEL", "TABLE"}, {"DIR"}
COLUMNS = {"COLUMN", "CONDITION", "A,B,...", "A=B,...|none", "A,B,...|auto|none"}

# Characters that troff would make typographic.
SPELLED = {"\\": "\\e", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti", '"': "\\(dq"}

START = """\
# Completion for nimgp, made by the build from its help.
_nimgp_offer() { # the words of $1 that begin with $2
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
}
_nimgp_paths() { # -f or -d, and how they begin; names may hold blanks
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen "$1" -- "$2")
}
_nimgp_columns() { # columns of the first table among the words, for what stands behind the last comma of $1
    local word column before= known=${1//\\\\/}
    [[ $known == *,* ]] && before=${known%,*},
    for word in "${COMP_WORDS[@]:2}"; do
        [[ -f $word ]] || continue
        while IFS= read -r column; do
            [[ $column == "${known##*,}"* ]] || continue
            printf -v column %q "$before$column"
            COMPREPLY+=("${column//\\\\,/,}")
        done < <("${COMP_WORDS[0]}" convert "$word" - --to csv 2>/dev/null | head -n 1 | tr , '\\n')
        ((${#COMPREPLY[@]})) && return
    done
}
_nimgp() {
    local current=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD - 1]} i
    COMPREPLY=()
    if [[ $current == = ]]; then # "=" breaks words, so that --input=la arrives as three
        current=
    elif [[ $last == = ]] && ((COMP_CWORD > 2)); then
        last=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    for ((i = 2; i < COMP_CWORD; i++)); do
        if [[ ${COMP_WORDS[i]} == -- ]]; then
            _nimgp_paths -f "$current"
            return
        fi
    done
"""


def read_help(path):
    """{heading: lines}; of the lines before the first heading, under ""."""
    first, *more = re.split(r"\n\n(?=\S.*:\n  )", pathlib.Path(path).read_text(encoding="utf-8"))
    parts = {"": first.splitlines()}
    for part in more:
        heading, *lines = part.splitlines()
        parts[heading[:-1]] = lines
    return parts


def paragraphs(lines):
    return [" ".join(part.split()) for part in "\n".join(lines).strip().split("\n\n")]


def options_of(parts):
    """(heading or None, [(spelling, value or None, text, note or None)]) of each group."""
    for heading, lines in parts.items():
        found = re.findall(r"^  (-.*)\n((?: {6}.*\n)*)", "\n".join([*lines, ""]), re.M)
        made = []
        for line, text in found if heading not in ("commands", "") else []:
            spelling, _, value = re.fullmatch(r"((?:-\w, )?--[\w-]+)( (.*))?", line).groups()
            words = " ".join(text.split())
            note = re.fullmatch(r"(.*?) ?\(((?:[^()]|\([^()]*\))*)\)", words)
            made.append((spelling, value, note[1] if note else words, note and note[2]))
        if made:
            yield (None if heading == "options" else heading), made


# ---------------------------------------------------------------- man pages ---


def escaped(text, code=False):
    """In code hyphens become minus signs, which a reader may copy."""
    return "".join("\\-" if c == "-" and code else SPELLED.get(c, c) for c in text)


def prose(text):
    """Words such as --noise-var are code. A point at the start of a line would be a request."""
    words = [escaped(word, re.match(r"-.|.*--", word)) for word in text.split()]
    return "\\&" + " ".join(words)


def code(text):
    return escaped(text, code=True)


def title(version, name, summary):
    whole = "nimgp" + (f"\\-{name}" if name else "")
    return [f'.TH "{whole.upper()}" 1 "" "nimgp {version}" "User Commands"',
            f".SH NAME\n{whole} \\- {summary[0].lower()}{escaped(summary[1:])}"]


def option_lines(parts):
    for heading, options in options_of(parts):
        if heading:
            yield ".SS " + prose(heading)
        for spelling, value, text, note in options:
            names = ", ".join(f"\\fB{code(name)}\\fR" for name in spelling.split(", "))
            yield f".TP\n{names}" + (f" \\fI{code(value)}\\fR" if value else "")
            yield prose(text)
            if note:
                yield f"\\&({code(note)})"


def ending(parts, commands, name):
    lines = ['.SH "EXIT STATUS"']
    for line in filter(None, parts["exit status"]):
        number, meaning = line.split(maxsplit=1)
        lines.append(f".TP\n\\fB{number}\\fR\n{prose(meaning)}")
    others = [".BR nimgp (1)"] if name else []
    others += [f".BR nimgp\\-{other} (1)" for other in commands if other != name]
    return [*lines, '.SH "SEE ALSO"', " ,\n".join(others)]


def manual(overview, path=None):
    over = read_help(overview)
    version = over[""][0].split()[1].rstrip(":")
    listed = [line.split(maxsplit=1) for line in filter(None, over["commands"])]
    commands = [name for name, _ in listed if name != "help"]
    lines = ['.\\" Made by the build from the help of the program.']
    if path is None:
        summary = over[""][0].split(": ", 1)[1]
        lines += title(version, None, summary)
        lines.append(".SH SYNOPSIS\n\\fBnimgp\\fR \\fICOMMAND\\fR [\\fIoptions\\fR] ...")
        lines.append(".SH DESCRIPTION\n" + "\n.PP\n".join(map(prose, paragraphs(over[""][4:]))))
        lines.append(".SH COMMANDS")
        lines += [f".TP\n\\fB{name}\\fR\n{prose(text)}" for name, text in listed]
        lines.append(".SH OPTIONS")
        for line in filter(None, over["options"]):
            names, text = re.split(r"  +", line.strip())
            spelled = ", ".join(f"\\fB{code(name)}\\fR" for name in names.split(", "))
            lines.append(f".TP\n{spelled}\n{prose(text)}")
        return [*lines, *ending(over, commands, None)]
    parts = read_help(path)
    name, summary = re.fullmatch(r"nimgp (\w+): (.*)", parts[""][0]).groups()
    usage, *description = paragraphs(parts[""][2:])
    operands = usage.split(" [options] ", 1)[1]
    lines += title(version, name, summary)
    lines.append(f".SH SYNOPSIS\n\\fBnimgp {name}\\fR [\\fIoptions\\fR] {code(operands)}")
    lines.append(".SH DESCRIPTION\n" + "\n.PP\n".join(map(prose, description)))
    lines += [".SH OPTIONS", *option_lines(parts)]
    examples = [f"\\&{code(line[2:])}" for line in parts["examples"] if line]
    lines += [".SH EXAMPLES\n.EX", *examples, ".EE"]
    return [*lines, *ending(parts, commands, name)]


# ---------------------------------------------------------------- completion ---


def choices(note):
    """The values if the note lists all of them: "latent, exact; default latent"."""
    listed = (note or "").split(";")[0].split(", ")
    whole = all(re.fullmatch(r"[\w+-]+", choice) for choice in listed)
    return listed if whole and not listed[0].startswith("default ") else []


def completed(spelling, value, note):
    if choices(note):
        return f'_nimgp_offer "{" ".join(choices(note))}" "$current" ;;'
    if value in COLUMNS and spelling != "--classes":
        return '_nimgp_columns "$current" ;;'
    return ('_nimgp_paths -f "$current" ;;' if value in FILES
            else '_nimgp_paths -d "$current" ;;' if value in DIRECTORIES else ";;")


def completion_of(path):
    parts = read_help(path)
    name = parts[""][0].split()[1].rstrip(":")
    first = paragraphs(parts[""][2:])[0].split(" [options] ", 1)[1].split()[0]
    options = [option for _, group in options_of(parts) for option in group]
    lines = [f"    {name})", "        case $last in"]
    for spelling, value, _, note in options:
        if value:
            pattern = " | ".join(reversed(spelling.split(", ")))
            lines.append(f"        {pattern}) {completed(spelling, value, note)}")
    names = " ".join(spelling.split(", ")[-1] for spelling, *_ in options)
    operand = (f'_nimgp_offer "{first.replace("|", " ")}"' if "|" in first else "_nimgp_paths -f")
    return [*lines, "        *)",
            f'            if [[ $current == -* ]]; then _nimgp_offer "{names}" "$current"',
            f'            else {operand} "$current"; fi ;;', "        esac ;;"]


def completion(overview, *paths):
    commands = " ".join(line.split()[0] for line in filter(None, read_help(overview)["commands"]))
    others = commands.removesuffix(" help")
    lines = [START + "    if ((COMP_CWORD == 1)); then",
             f'        _nimgp_offer "{commands} --help --version" "$current"', "        return",
             "    fi", "    case ${COMP_WORDS[1]} in",
             f'    help) _nimgp_offer "{others}" "$current" ;;']
    for path in paths:
        lines += completion_of(path)
    return [*lines, "    esac", "}", "complete -F _nimgp nimgp"]


if __name__ == "__main__":
    made = {"manual": manual, "completion": completion}[sys.argv[1]](*sys.argv[2:])
    print("\n".join(made))
