import { setImmediate as nextTurn } from 'node:timers/promises'
import { profileOfContent, type AgentProfile } from '@attestry/core/model/agentRegistration.ts'
import type { ChainId, LocalId } from '@attestry/core/model/compositeId.ts'
import { contentPointersMax, type ContentReads } from '@attestry/core/model/contentReads.ts'
import type { ContentPointerText } from '@attestry/core/model/contentTexts.ts'
import type { ContentState, KnownContent } from '@attestry/core/model/knownContent.ts'
import type { ProtocolName } from '@attestry/core/model/records.ts'
import type { BesideDatabase, BesideValue } from '@attestry/store/beside/besideDatabase.ts'
import { fulfilsCondition, leafKey, pathKey, printAsField, type ContentLeaf } from './contentLeaves.ts'

/** A pointer with a value of its content. */
type LeafRow = [pathText: string, text: string, type: ContentLeaf['type'], value: string]

/** Keys of one statement. */
const keysAtOnce = 500

/** Bytes of JSON of one statement, unless one content has more. */
const bytesAtOnce = 256 * 1024

/** The reads of content that answers need. */
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

  /** Columns of the contents with these keys. The length of a text is known without reading it. */
  async function findAmong<Row extends readonly BesideValue[]>(
    columns: string,
    keys: readonly string[],
  ): Promise<readonly Row[]> {
    const rows: Row[] = []
    for (let at = 0; at < keys.length; at += keysAtOnce) {
      const some = keys.slice(at, at + keysAtOnce)
      const places = some.map(() => '?').join(', ')
      const sql = `SELECT ${columns} FROM ${prefix}content WHERE content_key IN (${places})`
      rows.push(...(await all<Row>(sql, ...some)))
    }
    return rows
  }

  return {
    find: async (keys, { each = Infinity, total = Infinity } = {}) => {
      const found = new Map<string, KnownContent>()
      const lengths = new Map<string, number>()
      for (const [key, state, sentence, length] of await findAmong<
        [string, ContentState, string, number | null]
      >('content_key, state, sentence, octet_length(json)', keys)) {
        found.set(key, { state, sentence, json: null })
        if (length !== null) lengths.set(key, length)
      }
      let read = 0
      let part: string[] = []
      let partBytes = 0
      const readPart = async () => {
        for (const [key, json] of await findAmong<[string, string | null]>('content_key, json', part)) {
          const content = found.get(key)
          if (content !== undefined) found.set(key, { ...content, json })
        }
        part = []
        partBytes = 0
        await nextTurn()
      }
      for (const key of keys) {
        const [content, length] = [found.get(key), lengths.get(key)]
        if (content === undefined || length === undefined) continue
        if (length > each || read > total) {
          found.set(key, { ...content, isLeftOut: true })
          continue
        }
        if (part.length > 0 && partBytes + length > bytesAtOnce) await readPart()
        part.push(key)
        partBytes += length
        read += length
      }
      if (part.length > 0) await readPart()
      return found
    },

    measure: async (keys) => {
      const rows = await findAmong<[string, number | null]>('content_key, octet_length(json)', keys)
      return new Map(rows.flatMap(([key, length]) => (length === null ? [] : [[key, length] as const])))
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
