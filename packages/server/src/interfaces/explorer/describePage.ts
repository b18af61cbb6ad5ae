import type { PageName } from './pages.ts'
import { parseAgentId } from '@attestry/core/model/agents.ts'
import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import {
  formatCompositeId,
  parseChainId,
  parseCompositeId,
  type ChainId,
  type RecordKey,
} from '@attestry/core/model/compositeId.ts'
import { parseAddress, parseHash, zeroHash } from '@attestry/core/model/hex.ts'
import { recipientsOf } from '@attestry/core/model/recordJson.ts'
import { secondsBehind } from '@attestry/core/model/chainState.ts'
import { unixSeconds } from '@attestry/core/model/time.ts'
import { isKnownProtocol } from '@attestry/core/model/protocolNames.ts'
import type { AttestationStatus } from '@attestry/core/index/indexQueries.ts'
import type { IndexReader, PastReader } from '@attestry/core/index/indexReader.ts'
import type { StoredAttestation, StoredKey, StoredSchema } from '@attestry/core/index/storedRecords.ts'
import type { ApiContext } from '../../apiContext.ts'
import { aboutChains, type Question } from '../../pipeline/asOf/openView.ts'
import { aboutIds } from '../../pipeline/parameters/idParameters.ts'
import { nameChain } from '../../pipeline/nameChain.ts'
import type { PageHead } from './pageTemplate.ts'
import type { PagePicture, PictureState } from './pictures/pagePicture.ts'

/** The status and the texts of a page, before the app draws it. */
export interface PageDescription extends PageHead {
  readonly statusCode: number
}

/**
 * The pages that have no subject; `shared` is the page of links that hold an off-chain attestation, `embed` a chart in a
 * frame of another site.
 */
type FixedPageName =
  | 'home'
  | 'schemas'
  | 'attestations'
  | 'agents'
  | 'chains'
  | 'search'
  | 'stats'
  | 'embed'
  | 'gate'
  | 'verify'
  | 'shared'

const siteName = 'Attestry'
const siteDescription =
  'Check an address by its attestations; search, read and follow attestations of many chains.'

const verifyHead = titled(
  'Verify',
  'Whether an attestation, a proof or a signed verdict holds, and why.',
  '/verify',
)

const statsHead = titled(
  'Statistics',
  'Attestations, attesters, recipients and revocations by month.',
  '/stats',
)

const fixedHeads: Readonly<Record<FixedPageName, PageHead>> = {
  home: {
    title: `${siteName}: the index of on-chain attestations`,
    description: siteDescription,
    heading: 'Who attested what, on which chain',
    canonical: '/',
  },
  schemas: titled(
    'Schemas',
    'The fields that attestations have: every registered schema, by chain and protocol.',
    '/schemas',
  ),
  attestations: titled(
    'Attestations',
    'Signed statements recorded on blockchains, newest first.',
    '/attestations',
  ),
  agents: titled(
    'Agents',
    'Software agents of ERC-8004: who owns them, and what clients say of them.',
    '/agents',
  ),
  chains: titled('Chains', 'Every indexed chain: how fresh and how complete its index is.', '/chains'),
  search: titled('Search', 'Find schemas, attestations and addresses by id, hash, name or text.', '/search'),
  stats: statsHead,
  embed: statsHead,
  gate: titled('Check an address', 'Whether a policy lets an address pass, and why.', '/gate'),
  verify: verifyHead,
  shared: verifyHead,
}

/** The parts of a server that describe pages. */
export type PageContext = Pick<ApiContext, 'freshness' | 'now' | 'sharing'> & {
  readonly reader: Pick<IndexReader, 'indexVersion'> & PastReader
}

/**
 * Describes a page. Previews of links show the description: while the index is behind, it begins with the reason, and
 * calls no attestation valid.
 * @param subject the id, address or hash in the page's address, decoded; empty where the page has none.
 * @param protocol of the record, as the page's address names it; null: the first that has the id.
 */
export async function describePage(
  context: PageContext,
  name: PageName,
  subject: string,
  protocol: string | null,
): Promise<PageDescription> {
  if (name in fixedHeads) return await describeSubject(context, name, subject, protocol, false)
  // This read is at least as new as any answer before.
  const version = await context.reader.indexVersion()
  const about = questionOf(name, subject, protocol)
  const [doubt] = about === null ? [] : await (await context.freshness.at(version)).behind(about)
  const page = await describeSubject(context, name, subject, protocol, doubt !== undefined)
  if (doubt === undefined || page.statusCode === 400) return page
  const { description, picture } = page
  return {
    ...page,
    description:
      page.statusCode === 404 ? `${description} ${doubt.reason}` : `${doubt.reason} ${description}`,
    ...(picture === undefined ? {} : { picture: withDoubt(picture) }),
  }
}

/** A revocation or an expiry stays; all else may have changed in blocks that are not indexed. */
function withDoubt(picture: PagePicture): PagePicture {
  return { state: { word: 'The index is behind', tone: 'warn' }, ...picture }
}

/** The picture of a page, which networks show beside a link to it; null for a page without one. */
export function pictureOf({
  statusCode,
  picture,
  heading,
  title,
  description,
}: PageDescription): PagePicture | null {
  if (statusCode !== 200) return null
  return picture ?? { kind: '', title: heading ?? title.replace(` · ${siteName}`, ''), text: description }
}

/** The question of a page to the index; null for an address that names nothing. */
function questionOf(name: PageName, subject: string, protocol: string | null): Question | null {
  switch (name) {
    case 'schema':
    case 'attestation': {
      const id = parseCompositeId(subject)
      return id.kind === 'record' ? aboutIds([{ kind: 'known', value: { ...id.key, protocol } }], name) : null
    }
    case 'agent': {
      const id = parseAgentId(subject)
      return id === null ? null : aboutChains([id.chainId])
    }
    case 'chain': {
      const chainId = parseChainId(subject)
      return chainId === null ? null : aboutChains([chainId])
    }
    default:
      return aboutChains(null)
  }
}

async function describeSubject(
  { reader, now }: PageContext,
  name: PageName,
  subject: string,
  protocol: string | null,
  isBehind: boolean,
): Promise<PageDescription> {
  switch (name) {
    case 'schema':
      return await describeRecord(subject, protocol, 'Schema', async (key) => {
        const schema = await reader.findSchema(key)
        if (schema === null) return null
        const first = protocol === null ? schema : await reader.findSchema({ ...key, protocol: null })
        const path = canonicalPath('schema', schema.key, first?.key)
        return headOfSchema(schema, await describeChainOf(reader, now, key.chainId), path)
      })
    case 'attestation':
      return await describeRecord(subject, protocol, 'Attestation', async (key) => {
        const attestation = await reader.findAttestation(key)
        if (attestation === null) return null
        const first =
          protocol === null ? attestation : await reader.findAttestation({ ...key, protocol: null })
        const { statuses } = await reader.findStatuses([attestation.key], Math.floor(now() / 1000))
        const path = canonicalPath('attestation', attestation.key, first?.key)
        const chain = await describeChainOf(reader, now, key.chainId)
        const status = statuses[0] ?? null
        return headOfAttestation(attestation, isBehind && status === 'valid' ? null : status, chain, path)
      })
    case 'address':
      return await describeAddress(reader, now, subject)
    case 'transaction':
      return await describeTransaction(reader, now, subject)
    case 'agent':
      return await describeAgent(reader, now, subject)
    case 'chain':
      return await describeChain(reader, now, subject)
    case 'portal':
      return describePortal(subject)
    default:
      return { statusCode: 200, ...fixedHeads[name] }
  }
}

/** The page for a missing address. */
export const absentPage: PageDescription = {
  statusCode: 404,
  ...titled('Not found', 'There is nothing at this address.'),
}

/** The page while the index cannot be read: the app reports the failure once it is drawn. */
export const unavailablePage: PageDescription = {
  statusCode: 503,
  title: siteName,
  description: siteDescription,
}

/** The page for a client that may not read the index: the same whether the record exists or not. */
export const privatePage: PageDescription = {
  statusCode: 200,
  title: siteName,
  description: siteDescription,
}

async function describeRecord(
  id: string,
  protocol: string | null,
  kind: 'Schema' | 'Attestation',
  find: (key: RecordKey) => Promise<PageHead | null>,
): Promise<PageDescription> {
  const parsed = parseCompositeId(id)
  if (parsed.kind === 'malformed' || (protocol !== null && !isKnownProtocol(protocol))) {
    return {
      statusCode: 400,
      ...titled(`No ${kind.toLowerCase()}`, 'This address holds no valid id, or no valid protocol.'),
    }
  }
  const head = parsed.kind === 'record' ? await find({ ...parsed.key, protocol }) : null
  if (head !== null) return { statusCode: 200, ...head }
  return {
    statusCode: 404,
    ...titled(`${kind} not found`, `No ${kind.toLowerCase()} of this id is indexed here.`),
  }
}

/**
 * The path of the page of a record.
 * @param first the record that the id means without a protocol.
 */
function canonicalPath(page: 'schema' | 'attestation', key: StoredKey, first: StoredKey | undefined): string {
  const path = `/${page}/${formatCompositeId(key)}`
  return first?.protocol === key.protocol ? path : `${path}?protocol=${key.protocol}`
}

function headOfSchema(schema: StoredSchema, { chain, asOf }: NamedChain, path: string): PageHead {
  const { key, attestationCount, attesterCount } = schema
  const name = schema.name.trim() === '' ? key.localId : schema.name
  const counts = `${count(attestationCount, 'attestation')} by ${count(attesterCount, 'attester')} on ${chain}.`
  return {
    ...titled(`${name} · Schema`, `${counts} ${schema.description}`, path),
    picture: {
      ...{ kind: 'Schema', title: name, text: schema.description, id: shortenId(key.localId), ...asOf },
      facts: [
        ['Attestations', formatNumber(attestationCount)],
        ['Attesters', formatNumber(attesterCount)],
        ['Chain', chain],
      ],
    },
  }
}

const states: Readonly<Record<AttestationStatus, PictureState>> = {
  valid: { word: 'Valid', tone: 'good' },
  revoked: { word: 'Revoked', tone: 'bad' },
  expired: { word: 'Expired', tone: 'warn' },
}

function headOfAttestation(
  attestation: StoredAttestation,
  status: AttestationStatus | null,
  { chain, asOf }: NamedChain,
  path: string,
): PageHead {
  const { key, attester, attestTimestamp, schema } = attestation
  const [first, ...others] = recipientsOf(attestation)
  const more = others.length === 0 ? '' : ` and ${count(others.length, 'other')}`
  const recipient = first === undefined ? 'without a recipient' : `to ${shorten(first)}${more}`
  const day = new Date(attestTimestamp * 1000).toISOString().slice(0, 10)
  const name = schema?.name.trim() ?? ''
  const state = status === null ? '' : `${states[status].word}. `
  return {
    ...titled(
      `${name === '' ? key.localId : name} · Attestation`,
      `${state}${shorten(attester)} attested ${name === '' ? 'this' : name} ${recipient} on ${day}, on ${chain}.`,
      path,
    ),
    picture: {
      ...{ kind: 'Attestation', title: name === '' ? shortenId(key.localId) : name, ...asOf },
      ...(status === null ? {} : { state: states[status] }),
      facts: [
        ['Attester', shorten(attester)],
        [
          others.length === 0 ? 'Recipient' : `1 of ${count(others.length + 1, 'recipient')}`,
          first === undefined ? 'none' : shorten(first),
        ],
        ['Attested', day],
        ['Chain', chain],
      ],
      id: shortenId(key.localId),
    },
  }
}

/** A chain by name, and the moment up to which its index is complete. */
interface NamedChain {
  readonly chain: string
  readonly asOf: Pick<PagePicture, 'asOf'>
}

async function describeChainOf(
  reader: PastReader,
  now: PageContext['now'],
  chainId: ChainId,
): Promise<NamedChain> {
  const [chain, asOf] = await Promise.all([nameChain(reader, chainId), readMoment(reader, now, chainId)])
  return { chain, asOf }
}

/**
 * The moment up to which the index of a chain is complete, or of the oldest one of all chains, as a whole minute: a
 * picture stays the same for a minute.
 */
async function readMoment(
  reader: PastReader,
  now: PageContext['now'],
  chainId?: ChainId,
): Promise<Pick<PagePicture, 'asOf'>> {
  const chains = await reader.listChains()
  const ages = chains.flatMap(({ status }) =>
    chainId === undefined || status.chainId === chainId ? (secondsBehind(status, now()) ?? []) : [],
  )
  if (ages.length === 0) return {}
  return { asOf: unixSeconds(Math.floor((now() / 1000 - Math.max(...ages)) / 60) * 60) }
}

/** Ids of most protocols are hashes. */
function shortenId(id: string): string {
  return id.length <= 20 ? id : `${id.slice(0, 10)}…${id.slice(-8)}`
}

/** An address in the middle of a sentence; a recipient may be another text. */
function shorten(text: string): string {
  return parseAddress(text) === null ? text : `${text.slice(0, 6)}…${text.slice(-4)}`
}

async function describeAddress(
  reader: PastReader,
  now: PageContext['now'],
  text: string,
): Promise<PageDescription> {
  const address = parseAddress(text)
  if (address === null) {
    return { statusCode: 400, ...titled('No address', 'This is no address: 0x and 40 hexadecimal digits.') }
  }
  const { attestationCreated, attestationReceived, schemaCreated } = await reader.addressStatistics(address)
  return {
    statusCode: 200,
    ...titled(
      checksumAddress(address),
      `Made ${count(attestationCreated, 'attestation')}, received ${attestationReceived}, registered ${count(schemaCreated, 'schema')}.`,
      `/address/${checksumAddress(address)}`,
    ),
    picture: {
      ...{ kind: 'Address', title: checksumAddress(address), ...(await readMoment(reader, now)) },
      facts: [
        ['Attestations made', formatNumber(attestationCreated)],
        ['Attestations received', formatNumber(attestationReceived)],
        ['Schemas registered', formatNumber(schemaCreated)],
      ],
    },
  }
}

async function describeTransaction(
  reader: PastReader,
  now: PageContext['now'],
  text: string,
): Promise<PageDescription> {
  const hash = parseHash(text.toLowerCase())
  if (hash === null) {
    return {
      statusCode: 400,
      ...titled('No transaction', 'This is no hash of a transaction: 0x and 64 hexadecimal digits.'),
    }
  }
  const found = hash === zeroHash ? null : await reader.findTransaction(hash, null)
  if (found === null) {
    return {
      statusCode: 404,
      ...titled('Transaction not found', 'Nothing of this transaction is indexed here.'),
    }
  }
  const { schemas, attestations, revocations } = found
  const { chain, asOf } = await describeChainOf(reader, now, found.chainId)
  const did = `Registered ${count(schemas.length, 'schema')}, made ${count(attestations.length, 'attestation')}, revoked ${revocations.length}`
  return {
    statusCode: 200,
    ...titled(`Transaction ${hash.slice(0, 10)}…`, `${did}, on ${chain}.`, `/transaction/${hash}`),
    picture: {
      ...{ kind: 'Transaction', title: shortenId(hash), ...asOf },
      facts: [
        ['Attestations', formatNumber(attestations.length)],
        ['Revocations', formatNumber(revocations.length)],
        ['Schemas', formatNumber(schemas.length)],
        ['Chain', chain],
      ],
    },
  }
}

async function describeAgent(
  reader: PastReader,
  now: PageContext['now'],
  text: string,
): Promise<PageDescription> {
  const id = parseAgentId(text)
  if (id === null) {
    return { statusCode: 400, ...titled('No agent', 'This is no id of an agent, such as 8453:22.') }
  }
  const [agent] = await reader.findAgents([id])
  if (agent === undefined || agent === null) {
    return { statusCode: 404, ...titled('Agent not found', 'No agent of this id is indexed here.') }
  }
  const { key, profile, feedbackCount, reviewerCount } = agent
  const name = profile.name.trim() === '' ? `Agent ${BigInt(key.subject)}` : profile.name
  const { chain, asOf } = await describeChainOf(reader, now, key.chainId)
  const counts = `${formatNumber(feedbackCount)} feedback by ${count(reviewerCount, 'client')} on ${chain}.`
  const ownId = `${key.chainId}:${BigInt(key.subject)}`
  return {
    statusCode: 200,
    ...titled(`${name} · Agent`, `${counts} ${profile.description}`, `/agent/${ownId}`),
    picture: {
      ...{ kind: 'Agent', title: name, text: profile.description, id: ownId, ...asOf },
      facts: [
        ['Feedback', formatNumber(feedbackCount)],
        ['Clients', formatNumber(reviewerCount)],
        ['Chain', chain],
      ],
    },
  }
}

async function describeChain(
  reader: PastReader,
  now: PageContext['now'],
  text: string,
): Promise<PageDescription> {
  const chain = (await reader.listChains()).find(({ status }) => String(status.chainId) === text)
  if (chain === undefined) {
    return { statusCode: 404, ...titled('Chain not found', 'No chain of this number is indexed here.') }
  }
  const { status, attestationCount, schemaCount, revocationCount } = chain
  return {
    statusCode: 200,
    ...titled(
      `${status.name} · Chain ${status.chainId}`,
      `${count(attestationCount, 'attestation')} and ${count(schemaCount, 'schema')} on ${status.name}.`,
      `/chain/${status.chainId}`,
    ),
    picture: {
      ...{ kind: 'Chain', title: status.name, id: String(status.chainId) },
      ...(await readMoment(reader, now, status.chainId)),
      facts: [
        ['Attestations', formatNumber(attestationCount)],
        ['Schemas', formatNumber(schemaCount)],
        ['Revocations', formatNumber(revocationCount)],
      ],
    },
  }
}

function describePortal(text: string): PageDescription {
  const address = parseAddress(text)
  if (address === null) {
    return { statusCode: 400, ...titled('No portal', 'This is no address: 0x and 40 hexadecimal digits.') }
  }
  const shown = checksumAddress(address)
  return {
    statusCode: 200,
    ...titled(
      `Portal ${shown}`,
      'Attestations that were made through this portal of Verax.',
      `/portal/${shown}`,
    ),
  }
}

function titled(title: string, description: string, canonical?: string): PageHead {
  return { title: `${title} · ${siteName}`, description, ...(canonical === undefined ? {} : { canonical }) }
}

function count(number: number, noun: string): string {
  return `${formatNumber(number)} ${noun}${number === 1 ? '' : 's'}`
}

function formatNumber(number: number): string {
  return number.toLocaleString('en-GB')
}
