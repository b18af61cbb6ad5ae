import { parseConnectionUrl } from './connectionUrl.ts'

/** A database as it is named in messages and logs: its servers and its name, never its user or password. */
export function databasePlace(url: string): string {
  const target = parseConnectionUrl(url)
  const match = /^(postgres(?:ql)?:\/\/)(?:[^/?#]*@)?([^/?#@]*)/i.exec(url)
  if ('reason' in target || match === null) return 'postgres:'
  const [, protocol, authority] = match
  // The folder of a Unix socket may be given as a parameter.
  const servers = authority === '' ? target.hosts.map(({ host }) => host).join() : authority
  return `${protocol}${servers}/${target.database}`
}
