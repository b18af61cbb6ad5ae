/** A text as one word of a POSIX shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** A value of JSON as a literal of TypeScript. */
export function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return visible(JSON.stringify(value))
  const members = Object.entries(value).map(
    ([name, member]) =>
      `${/^[A-Za-z_]\w*$/.test(name) ? name : visible(JSON.stringify(name))}: ${literal(member)}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

/** JSON text whose invisible characters, which could turn the direction of the code around, are escaped. */
export function visible(json: string): string {
  return json.replaceAll(/[\p{Cf}\p{Co}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => String.raw`\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  )
}
