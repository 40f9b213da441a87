// Commands as they are typed into a shell.

const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u, NAMES = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", "'": "\\'" };

/** A word, in quotes where a shell needs them; with control characters as `$'a\nb'`, so that it is one line that shows them. */
export function quoted(text) {
  if (CONTROL.test(text)) {
    const escaped = (sign) => NAMES[sign] ?? (CONTROL.test(sign) ? `\\U${sign.codePointAt(0).toString(16).padStart(8, "0")}` : sign);
    return `$'${Array.from(text, escaped).join("")}'`;
  }
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
