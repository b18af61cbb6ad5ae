import {
  profileOfContent,
  readRegistration,
  type AgentProfile,
} from '@attestry/core/model/agentRegistration.ts'
import type { ContentReads } from '@attestry/core/model/contentReads.ts'
import { parseFilePointer } from '@attestry/core/model/contentPointer.ts'
import type { StoredAgent } from './projection/agentQueries.ts'
import type { IndexReader, PastReader } from '@attestry/core/index/indexReader.ts'

/** The files of agents that content holds: the index knows only those in `data:` URIs. */

const notFetched = profileOfContent('pending', 'It was not fetched yet.', null)
const unreadable = profileOfContent(
  'refused',
  'The URI names nothing that can be fetched: no https:// URL of up to 1,000 characters, no CID over SHA-256 and no ' +
    'id of Arweave.',
  null,
)

/** The same reads, whose agents have the profiles of their files. Filters of the reads see only the index. */
export function withAgentFiles(
  reader: IndexReader,
  content: Pick<ContentReads, 'findProfiles'>,
): IndexReader {
  const fill = createFill(content)
  return replaced(reader, {
    asOf: (moment) => {
      const past = reader.asOf(moment)
      return replaced(past, {
        findAgents: async (...question) => await fill(await past.findAgents(...question)),
      })
    },
    findAgents: async (...question) => await fill(await reader.findAgents(...question)),
    listAgents: async (...question) => {
      const page = await reader.listAgents(...question)
      return { ...page, rows: await fill(page.rows) }
    },
    sliceAgents: async (...question) => {
      const slice = await reader.sliceAgents(...question)
      return { ...slice, rows: await fill(slice.rows) }
    },
  })
}

/** The same reads but for some. */
function replaced<Reads extends PastReader>(reads: Reads, own: Partial<Reads>): Reads {
  return new Proxy(reads, {
    get: (target, name): unknown =>
      Object.hasOwn(own, name) ? Reflect.get(own, name) : Reflect.get(target, name),
  })
}

/** Fills in the profiles of agents whose files content holds. */
function createFill(content: Pick<ContentReads, 'findProfiles'>) {
  return async <Row extends StoredAgent | null>(agents: readonly Row[]): Promise<readonly Row[]> => {
    const pointers = agents.map((agent) =>
      agent?.profile.uriState === 'unread' ? parseFilePointer(agent.uri) : null,
    )
    const keys = new Set(pointers.flatMap((pointer) => pointer?.key ?? []))
    const found: ReadonlyMap<string, AgentProfile> =
      keys.size === 0 ? new Map() : await content.findProfiles([...keys])
    return agents.map((agent, index) => {
      if (agent?.profile.uriState !== 'unread') return agent
      const pointer = pointers[index] ?? null
      const profile = pointer === null ? unreadable : (found.get(pointer.key) ?? notFetched)
      return { ...agent, profile }
    })
  }
}

/** The registration file of an agent that was read with its whole URI, as JSON; null if it is not known. */
export async function readRegistrationFile(
  { uri, profile }: Pick<StoredAgent, 'uri' | 'profile'>,
  content: Pick<ContentReads, 'find'> | null,
): Promise<string | null> {
  if (profile.uriState === 'read') return JSON.stringify(readRegistration(uri).file)
  const key = parseFilePointer(uri)?.key
  const isKnown = profile.uriState === 'verified' || profile.uriState === 'unverified'
  return key === undefined || !isKnown ? null : ((await content?.find([key]))?.get(key)?.json ?? null)
}
