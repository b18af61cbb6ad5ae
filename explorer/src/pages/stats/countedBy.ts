import type { StatsFilter } from '../../api/monthCounts.ts'
import { quoted } from '../../format/codeText.ts'
import { parseDay } from '../../format/fillDays.ts'
import { stringifySearch } from '../../format/readSearch.ts'
import { withoutAbsent } from '../../format/withoutAbsent.ts'
import { embedPath, type EmbedSearch } from './statsSearch.ts'

/** The same counts by REST and by SQL. */
export interface CountCode {
  readonly curl: string
  readonly sql: string
}

const months = (time: string, from: string) =>
  `SELECT date_trunc('month', ${time}) AS month, count(*)\nFROM ${from}\nGROUP BY 1 ORDER BY 1;`
const firsts = (account: string, from: string) =>
  months('first', `(SELECT ${account} AS account, min(attested_at) AS first ${from} GROUP BY 1) AS accounts`)
const ranking = (columns: string, from: string) =>
  `SELECT ${columns}, count(*)\n${from}\nGROUP BY 1 ORDER BY 2 DESC LIMIT 10;`

/** Code for the counts of the page, by name. SQL is that of PostgreSQL; the views have lower-case addresses. */
export function countCode(
  counted: 'attestations' | 'attesters' | 'recipients' | 'revocations' | 'schema' | 'attester' | 'field',
  filter: StatsFilter,
  base: string,
  field = '',
): CountCode {
  const where = whereOf(filter)
  const attestations = `FROM attestry.attestations${where}`
  const recipients = `FROM attestry.attestations, json_array_elements_text(recipients) AS recipient${where}`
  const aggregate = (by: string, further: object = {}) => curlOf(base, { by, ...filter, ...further })
  // The first second of a month, of which the counts end before: a place to fill in.
  const before = { attestedBefore: parseDay('2026-01-01'), size: 1 }
  switch (counted) {
    case 'attestations':
      return {
        curl: aggregate('month', { size: 100 }),
        sql: months('attested_at', `attestry.attestations${where}`),
      }
    case 'attesters':
      return { curl: aggregate('attester', before), sql: firsts('attester', attestations) }
    case 'recipients':
      return { curl: aggregate('recipient', before), sql: firsts('recipient', recipients) }
    case 'revocations':
      return {
        curl: curlOf(
          base,
          { ...filter, revokedBefore: before.attestedBefore, size: 1 },
          '/scan/attestations',
        ),
        sql: months('revoked_at', `attestry.revocations${where}`),
      }
    case 'schema':
      return { curl: aggregate('schema'), sql: ranking('schema_id', attestations) }
    case 'attester':
      return { curl: aggregate('attester'), sql: ranking('attester', attestations) }
    case 'field': {
      const path = `path = ${literalOf(field)}`
      return {
        curl: aggregate(`field[${field}]`),
        sql: ranking(
          'value',
          `FROM attestry.fields${where === '' ? ` WHERE ${path}` : `${where} AND ${path}`}`,
        ),
      }
    }
  }
}

function curlOf(base: string, query: object, path = '/scan/aggregate/attestations'): string {
  return `curl ${quoted(`${base}${path}${stringifySearch({ ...query })}`)}`
}

function whereOf({ chainId, protocol, schemaId }: StatsFilter): string {
  const conditions = Object.entries(
    withoutAbsent({
      chain_id: chainId === undefined || !/^\d+$/.test(chainId) ? undefined : chainId,
      protocol: protocol === undefined ? undefined : literalOf(protocol),
      schema_id: schemaId === undefined ? undefined : literalOf(schemaId),
    }),
  ).map(([column, value]) => `${column} = ${value}`)
  return conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`
}

/** A text of the page's address as a literal of SQL. */
function literalOf(text: string): string {
  return `'${text.replaceAll("'", "''").replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '')}'`
}

/** The element that shows a chart on a page of another site. */
export function frameOf(title: string, search: EmbedSearch): string {
  const source = `${window.location.origin}${embedPath}${stringifySearch(withoutAbsent({ ...search }))}`
  return `<iframe src="${source.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}" title="${title}" width="640" height="420" style="border: 0" loading="lazy"></iframe>`
}
