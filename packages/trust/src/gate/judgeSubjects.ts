import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import { describeDoubt, findDoubt, type NeededMoment } from '@attestry/core/model/chainDoubt.ts'
import type { ChainStatus } from '@attestry/core/model/chainState.ts'
import { recordKeyText, type ChainId } from '@attestry/core/model/compositeId.ts'
import { parseAddress, type Address, type Hash } from '@attestry/core/model/hex.ts'
import type { HoldingsWhole, ValidAsOf, ValidAt } from '@attestry/core/index/indexQueries.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { ApiContext, JudgeByPolicy } from '@attestry/server/apiContext.ts'
import { findNewest } from '@attestry/server/pipeline/asOf/openView.ts'
import type { AskedMoment } from '@attestry/server/pipeline/asOf/parseAsOf.ts'
import { resolveBlock } from '@attestry/server/pipeline/asOf/resolveBlock.ts'
import { findSchemaDoubt } from '@attestry/server/pipeline/freshness/findSchemaDoubt.ts'
import { steadily } from '@attestry/server/pipeline/asOf/steadily.ts'
import { createHeavyWork, type HeavyWork } from '@attestry/server/pipeline/limits/heavyWork.ts'
import { checkState, validInState, type IndexState } from './indexState.ts'
import { findPolicy, type GatePolicies } from './gatePolicies.ts'
import { evaluatePolicy, judgementBytes, type Evidence, type Verdict } from './evaluatePolicy.ts'
import { listHolds, type Holds, type Policy } from './policy.ts'

/** The verdicts of a policy, and the state of the index that they are of. */
export interface Judgement<Shown = Verdict> {
  /** The shown form of each verdict. */
  readonly verdicts: readonly Shown[]
  readonly asOf: readonly ChainMoment[]
  /** When expiry and ages were counted, in Unix seconds. */
  readonly at: number
}

/** Up to where a chain counted. `block` and `hash` are null if only the time of the moment is known. */
export interface ChainMoment {
  readonly chainId: string
  readonly block: number | null
  readonly hash: string | null
  readonly timestamp: number | null
}

type Parts = Pick<ApiContext, 'readHeader' | 'checkOwnFields' | 'now' | 'findPublished'> & {
  readonly reader: PastReader
}

/** A moment that was looked up. `at` is the time of the block. */
type ResolvedAsOf =
  | {
      readonly kind: 'block'
      readonly chainId: ChainId
      readonly block: number
      readonly hash: Hash | null
      readonly at: number
    }
  | { readonly kind: 'time'; readonly at: number }

/** The status of a chain; undefined: the chain is not indexed. */
type StatusOf = (chainId: ChainId) => ChainStatus | undefined

/** Most subjects times terms `holds`: each is looked up, in about 20 µs. */
const lookupsMax = 100_000

/** Bytes for all judgements that are made at the same time. */
const judgingBytesMax = 128 * 1024 * 1024

/** Records whose attesters are read at a time. */
const keysAtOnce = 500

const summaryOnly = { detail: false, schema: false }

/** The judgements of a server, which share memory; each is run in it, together with what its answer makes of it. */
export function createJudging(): HeavyWork {
  return createHeavyWork({
    total: judgingBytesMax,
    refusal:
      'The server makes other long judgements for this client, or for too many others; ask again later, or with fewer ' +
      'subjects.',
  })
}

/**
 * Judges subjects by a policy, in one state of the index.
 * @param show what is kept of a verdict.
 * @throws BadParameterError for a field that a schema of the policy does not have, and for more subjects than a policy of
 * so many terms judges at once.
 */
export async function judgeSubjects<Shown>(
  parts: Parts,
  policy: Policy,
  subjects: readonly Address[],
  asOf: AskedMoment | IndexState | null,
  show: (verdict: Verdict, index: number) => Shown,
): Promise<Judgement<Shown>> {
  const { reader } = parts
  const holdsCount = listHolds(policy.term).length
  if (holdsCount * subjects.length > lookupsMax) {
    const subjectsMax = Math.floor(lookupsMax / holdsCount).toLocaleString('en')
    throw new BadParameterError(
      `subjects: a policy of ${holdsCount} terms holds judges at most ${subjectsMax} subjects at once; send them in ` +
        `several requests.`,
    )
  }
  const { answer } = await steadily(reader, await reader.indexVersion(), () =>
    judgeOnce(parts, policy, subjects, asOf, show),
  )
  return answer
}

/** The verdicts of named policies, for other answers than those of the gate. */
export function createPolicyJudge(
  policies: GatePolicies,
  parts: Pick<ApiContext, 'checkOwnFields' | 'now' | 'readHeader' | 'findPublished'>,
  judging: HeavyWork,
): JudgeByPolicy {
  return async (reader, name, subjects) => {
    const policy = findPolicy(policies, name)
    const judge = () => judgeSubjects({ ...parts, reader }, policy, subjects, null, ({ verdict }) => verdict)
    const { verdicts } = await judging.run(judgementBytes(policy, subjects.length), judge)
    return { verdicts, policyHash: policy.hash }
  }
}

async function judgeOnce<Shown>(
  { reader, readHeader, checkOwnFields, now, findPublished }: Parts,
  policy: Policy,
  subjects: readonly Address[],
  asOf: AskedMoment | IndexState | null,
  show: (verdict: Verdict, index: number) => Shown,
): Promise<Judgement<Shown>> {
  const chains = await reader.listChains()
  const chainOf = (chainId: ChainId) => chains.find(({ status }) => status.chainId === chainId)
  const statusOf: StatusOf = (chainId) => chainOf(chainId)?.status
  const moment = asOf === null ? null : await resolveMoment({ reader, readHeader }, policy, asOf, statusOf)
  const nowMs = now()
  const nowSeconds = Math.floor(nowMs / 1000)
  for (const { schema, fields } of listHolds(policy.term))
    await checkOwnFields({ schema, protocol: null, fields })
  const { maxStaleness } = policy
  const doubts = new Map<string, string | null>()
  for (const { schema } of listHolds(policy.term)) {
    const { chainId } = schema
    const needed = { now: nowMs, maxStaleness, moment: moment && neededOf(moment, chainId), findPublished }
    const doubt = await findSchemaDoubt(reader, schema, (record) =>
      findDoubt(chainOf(chainId), { ...needed, record }),
    )
    const told = doubt && describeDoubt(chainId, doubt, `; the policy takes at most ${maxStaleness} s`)
    doubts.set(recordKeyText(schema), told)
  }
  const wholes = new Map<Holds, HoldingsWhole>()
  const ofSubjects = new Set(listHolds(policy.term))
  const evidence: Evidence = {
    doubtOf: (schema) => doubts.get(recordKeyText(schema)) ?? null,
    find: async (asked, addresses) => {
      const { maxAge, vouch: _vouch, ...holds } = asked
      // Attesters that are looked up share nothing with the subjects.
      const shared = wholes.get(asked) ?? { addresses: subjects.length, rowsLeft: null }
      const isOfSubjects = ofSubjects.has(asked)
      if (isOfSubjects) wholes.set(asked, shared)
      const { chainId } = holds.schema
      const valid =
        moment?.kind === 'state' ? validInState(moment, chainId) : validAsOf(moment, chainId, nowSeconds)
      const attestedFrom = maxAge === null ? null : Math.max(0, valid.at - maxAge)
      const whole = isOfSubjects ? { whole: shared } : {}
      return await reader.findHoldings({ ...holds, addresses, valid, attestedFrom, ...whole })
    },
    findAttesters: async (keys) => {
      const attesters: (Address | null)[] = []
      for (let start = 0; start < keys.length; start += keysAtOnce) {
        const found = await reader.findAttestations(keys.slice(start, start + keysAtOnce), summaryOnly)
        attesters.push(...found.map((record) => (record === null ? null : parseAddress(record.attester))))
      }
      return attesters
    },
  }
  const verdicts = await evaluatePolicy(policy, subjects, evidence, show)
  const moments = await Promise.all(policy.chainIds.map((chainId) => findMoment(reader, chainId, moment)))
  return { verdicts, asOf: moments, at: moment?.at ?? nowSeconds }
}

async function resolveMoment(
  parts: Pick<Parts, 'reader' | 'readHeader'>,
  { chainIds }: Policy,
  asOf: AskedMoment | IndexState,
  statusOf: StatusOf,
): Promise<ResolvedAsOf | IndexState> {
  if (asOf.kind === 'time') return asOf
  if (asOf.kind === 'state') {
    await checkState(parts.reader, asOf, chainIds, statusOf)
    return asOf
  }
  // On other chains, the block counts by its time.
  const { chainId, number, hash, at } = await resolveBlock(parts, asOf)
  if (at === null) {
    throw new BadParameterError(
      `The time of block ${number} of chain ${chainId} is no longer kept; give asOf as the time of the block in Unix seconds.`,
    )
  }
  return { kind: 'block', chainId, block: number, hash, at }
}

/** The part of a chain that a moment needs. Its block counts on its own chain, its time on all others. */
function neededOf(moment: ResolvedAsOf | IndexState, chainId: ChainId): NeededMoment {
  if (moment.kind === 'state') {
    const valid = validInState(moment, chainId)
    return valid.kind === 'block' ? { kind: 'block', number: valid.block } : { kind: 'time', at: moment.at }
  }
  return moment.kind === 'block' && moment.chainId === chainId
    ? { kind: 'block', number: moment.block }
    : { kind: 'time', at: moment.at }
}

async function findMoment(
  reader: Parts['reader'],
  chainId: ChainId,
  asOf: ResolvedAsOf | IndexState | null,
): Promise<ChainMoment> {
  const chain = { chainId: String(chainId) }
  if (asOf?.kind === 'state') {
    const { block = null, hash = null } = asOf.blocks.get(chainId) ?? {}
    const known = block === null ? null : await reader.findBlock(chainId, { number: block })
    return { ...chain, block, hash, timestamp: block === null ? asOf.at : (known?.timestamp ?? null) }
  }
  if (asOf?.kind === 'block' && asOf.chainId === chainId) {
    return { ...chain, block: asOf.block, hash: asOf.hash, timestamp: asOf.at }
  }
  if (asOf !== null) return { ...chain, block: null, hash: null, timestamp: asOf.at }
  const { number = null, hash = null, timestamp = null } = (await findNewest(reader, chainId)) ?? {}
  return { ...chain, block: number, hash, timestamp }
}

/** The condition for validity on a chain at a moment. On other chains than that of the block, its time counts. */
function validAsOf(asOf: ResolvedAsOf | null, chainId: ChainId, nowSeconds: number): ValidAt | ValidAsOf {
  if (asOf === null) return { kind: 'now', at: nowSeconds }
  if (asOf.kind === 'block' && asOf.chainId === chainId)
    return { kind: 'block', at: asOf.at, block: asOf.block }
  return { kind: 'then', at: asOf.at }
}
