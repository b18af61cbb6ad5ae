import type { Dialect } from './dialect.ts'

/** The body of the newest metadata of the portal of an attestation `alias`, among metadata `m` of a condition. */
export function newestPortalBody({ hex }: Pick<Dialect, 'hex'>, alias: string, condition = ''): string {
  return (
    `CASE WHEN ${alias}.portal IS NULL THEN NULL ELSE (SELECT m.body FROM metadata m ` +
    `WHERE m.subject = ${hex(`${alias}.portal`)} AND m.kind = 'portal' AND m.chain_id = ${alias}.chain_id ` +
    `AND m.protocol = ${alias}.protocol${condition} ORDER BY m.id DESC LIMIT 1) END`
  )
}
