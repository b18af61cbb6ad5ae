/** A database as it is named in messages and logs: its server and its name, never its user or password. */
export function databasePlace(url: string): string {
  if (!URL.canParse(url)) return 'postgres:'
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname}`
}
