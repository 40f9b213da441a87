// Commands as they are typed into a shell.

/** A word, in quotes where a shell needs them. */
export function quoted(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
