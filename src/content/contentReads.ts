import { profileOfContent, type AgentProfile } from '../model/agentRegistration.ts'
import type { ChainId, LocalId } from '../model/compositeId.ts'
import { contentPointersMax, type ContentReads } from '../model/contentReads.ts'
import type { ContentPointerText } from '../model/contentTexts.ts'
import type { ContentState } from '../model/knownContent.ts'
import type { ProtocolName } from '../model/records.ts'
import type { BesideDatabase, BesideValue } from '../store/beside/besideDatabase.ts'
import { fulfilsCondition, leafKey, pathKey, printAsField, type ContentLeaf } from './contentLeaves.ts'

/** A pointer with a value of its content. */
type LeafRow = [pathText: string, text: string, type: ContentLeaf['type'], value: string]

/** Keys of one statement. */
const keysAtOnce = 500

/** What answers ask of content. */
export function openContentReads({ prefix, all }: Pick<BesideDatabase, 'prefix' | 'all'>): ContentReads {
  /** Pointers with the values of their content at a path; null: too many. */
  async function findLeaves(
    path: readonly string[],
    schemaId: string | null,
    values: readonly string[] | null,
    limit = contentPointersMax + 1,
  ): Promise<readonly LeafRow[] | null> {
    const keys = values === null ? null : [...new Set(values.map(leafKey))]
    const rows = await all<LeafRow>(
      `SELECT p.path_text, p.pointer_text, l.type, l.value FROM ${prefix}leaf l ` +
        `JOIN ${prefix}pointer p ON p.content_key = l.content_key WHERE l.path_key = ?` +
        (keys === null ? '' : ` AND l.value_key IN (${keys.map(() => '?').join(', ')})`) +
        `${ofSchema(schemaId)} LIMIT ${limit}`,
      pathKey(path),
      ...(keys ?? []),
      ...(schemaId === null ? [] : [schemaId]),
    )
    return unlessTooMany(rows)
  }

  return {
    find: async (keys, lengthMax) => {
      if (keys.length === 0) return new Map()
      const json = lengthMax === undefined ? 'json' : `CASE WHEN length(json) <= ${lengthMax} THEN json END`
      const rows = await all<[string, ContentState, string, string | null]>(
        `SELECT content_key, state, sentence, ${json} FROM ${prefix}content WHERE content_key IN (${keys.map(() => '?').join(', ')})`,
        ...keys,
      )
      return new Map(rows.map(([key, state, sentence, text]) => [key, { state, sentence, json: text }]))
    },

    findProfiles: async (keys) => {
      const profiles = new Map<string, AgentProfile>()
      for (let at = 0; at < keys.length; at += keysAtOnce) {
        const some = keys.slice(at, at + keysAtOnce)
        const rows = await all<[string, ContentState, string, string | null, string | null]>(
          `SELECT content_key, state, sentence, profile, substr(json, 1, 1) FROM ${prefix}content ` +
            `WHERE content_key IN (${some.map(() => '?').join(', ')})`,
          ...some,
        )
        for (const [key, state, sentence, profile, start] of rows) {
          const isOther = start !== null && start !== '{'
          profiles.set(
            key,
            isOther
              ? profileOfContent('refused', 'The content is JSON, but no object.', null)
              : profileOfContent(state, sentence, profile),
          )
        }
      }
      return profiles
    },

    listArrivals: async ({ sequence, offset }, limit) => {
      const rows = await all<[number, number, ChainId, ProtocolName, LocalId]>(
        `SELECT arrival, number, chain_id, protocol, local_id FROM ${prefix}record ` +
          'WHERE arrival IS NOT NULL AND (arrival, number) > (?, ?) ORDER BY arrival, number LIMIT ?',
        sequence,
        offset,
        limit,
      )
      return rows.map(([arrival, number, chainId, protocol, localId]) => ({
        place: { sequence: arrival, offset: number },
        record: { chainId, protocol, localId },
      }))
    },

    newestArrival: async () => {
      const [row] = await all<[number, number]>(
        `SELECT arrival, number FROM ${prefix}record WHERE arrival IS NOT NULL ORDER BY arrival DESC, number DESC LIMIT 1`,
      )
      return { sequence: row?.[0] ?? 0, offset: row?.[1] ?? 0 }
    },

    findInState: async (state, schemaId) => {
      const rows = await all<[string, string]>(
        `SELECT DISTINCT p.path_text, p.pointer_text FROM ${prefix}content c ` +
          `JOIN ${prefix}pointer p ON p.content_key = c.content_key WHERE c.state = ?` +
          `${ofSchema(schemaId)} LIMIT ${contentPointersMax + 1}`,
        state,
        ...(schemaId === null ? [] : [schemaId]),
      )
      return unlessTooMany(rows)?.map(([pathText, text]) => ({ pathText, text, values: [] })) ?? null
    },

    findFulfilling: async (condition, schemaId, fields) => {
      const { path, operator, values } = condition
      const isLookup = operator === 'equals' || operator === 'in'
      const rows = await findLeaves(path, schemaId, isLookup ? values : null)
      const isRight = ([, , type, value]: LeafRow) =>
        fulfilsCondition({ path, type, value }, condition, fields)
      return rows?.filter(isRight).map(([pathText, text]) => ({ pathText, text, values: [] })) ?? null
    },

    hasPath: async (schemaId, path) => (await findLeaves(path, schemaId, null, 1))?.length !== 0,

    findValues: async (schemaId, path, fields) => {
      const rows = await findLeaves(path, schemaId, null)
      return (
        rows?.flatMap(([pathText, text, , value]): ContentPointerText[] => {
          const printed = fields === null ? value : printAsField(value, fields)
          return printed === null ? [] : [{ pathText, text, values: [printed] }]
        }) ?? null
      )
    },
  }
}

function ofSchema(schemaId: string | null): string {
  return schemaId === null ? '' : ' AND p.schema_id = ?'
}

function unlessTooMany<Row extends readonly BesideValue[]>(rows: readonly Row[]): readonly Row[] | null {
  return rows.length > contentPointersMax ? null : rows
}
