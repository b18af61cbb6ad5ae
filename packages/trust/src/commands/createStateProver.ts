import {
  OverloadedError,
  ProofImpossibleError,
  ProofUnavailableError,
} from '@attestry/core/errors/apiErrors.ts'
import { asClause, describeError } from '@attestry/core/errors/baseError.ts'
import { InconsistentChainError } from '@attestry/core/errors/reorgErrors.ts'
import { RpcMalformedError } from '@attestry/core/errors/rpcErrors.ts'
import type { StateFetcher, StateSession } from '@attestry/core/chain/createStateFetcher.ts'
import { steadyClock, type Clock } from '@attestry/core/model/clock.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import { createRecentMap } from '@attestry/core/model/recentMap.ts'
import type { RecordHints } from '../stateProofs/layouts.ts'
import type { ClaimPlace } from '../stateProofs/readClaim.ts'
import type { Claim, StateBlock, StateProof } from '../stateProofs/stateProof.ts'
import type { KeptProof, KeptProofs } from '../stateProofs/keptProofs.ts'
import type { BlockState, KnownBlocks } from '../stateProofs/knownBlocks.ts'
import { createFetchGate, type FetchLimits } from './fetchGate.ts'

/** A request for a proof. */
export interface WantedProof {
  readonly chainId: ChainId
  readonly protocol: string
  /** The claim in each place where it may be found; the first whose layout fits counts. */
  readonly claims: readonly PlacedClaim[]
  /** A sentence that says why nothing can be proven, if there is no claim. */
  readonly impossible?: string
  /** Names what is proven: requests with the same key share a proof. */
  readonly key: string
  /**
   * Compares a proof with the index.
   * @returns why the proof cannot be of the newest state, as the end of a sentence; null if it can.
   */
  contradiction?(proof: StateProof): string | null
}

export interface PlacedClaim {
  readonly place: ClaimPlace
  readonly claim: Claim
  readonly hints?: RecordHints
}

/** A proof, and when and how it was taken. */
export interface TakenProof {
  readonly proof: StateProof
  /** Unix seconds. */
  readonly at: number
  readonly blockState: BlockState
  /** Why no newer one was taken; null if there was no need. */
  readonly keptBecause: string | null
}

/** Proves what the newest state of chains says. */
export interface StateProver {
  /**
   * The proof of a claim at the newest block, checked; or the newest one that is kept, if no endpoint gives another.
   * @throws ProofImpossibleError if no layout fits; ProofUnavailableError if no endpoint proves; OverloadedError.
   */
  prove(wanted: WantedProof, blocks: KnownBlocks): Promise<TakenProof>
  /** A proof that was taken at the block with a hash; null if it is not kept. */
  findKept(
    wanted: Pick<WantedProof, 'chainId' | 'key'>,
    hash: string,
    blocks: KnownBlocks,
  ): Promise<TakenProof | null>
}

export interface StateProverOptions {
  /** A fetcher for each chain. The prover does not close them. */
  readonly fetchers: ReadonlyMap<ChainId, Pick<StateFetcher, 'run'>>
  readonly limits: FetchLimits
  readonly onFailure: (chainId: ChainId, error: unknown) => void
  /** The proofs of all processes over the index. */
  readonly shared?: Pick<KeptProofs, 'put' | 'find'>
  /** Called if that fails. The prover goes on with the proofs that it keeps itself. */
  readonly onUnshared?: (error: unknown) => void
  readonly clock?: Pick<Clock, 'nowMs'>
  /** Wall clock, in milliseconds. */
  readonly now?: () => number
}

interface Kept extends KeptProof {
  readonly takenMs: number
  readonly characters: number
}

const durationMaxMs = 15_000
/** Characters of kept proofs. */
const keptMax = 32 * 1024 * 1024
/** How long a proof counts as the newest while no newer block is indexed. */
const currentMs = 12_000
/** How far an endpoint may be behind the index, in seconds. */
const behindMaxSeconds = 120
/** `Retry-After` in seconds after a failure of the endpoints. */
const retryAfterSeconds = 30

export function createStateProver(options: StateProverOptions): StateProver {
  const { fetchers, limits, onFailure, shared, onUnshared, clock = steadyClock, now = Date.now } = options
  const chains = new Map(
    [...fetchers].map(([chainId, fetcher]) => [
      chainId,
      { fetcher, gate: createFetchGate(limits, clock, 'proofs of state') },
    ]),
  )
  const kept = createRecentMap<string, Kept>(keptMax, ({ characters }) => characters)
  /** By chain and contract. */
  const layouts = createRecentMap<string, ClaimPlace['layout']>(10_000)
  const implementations = createRecentMap<string, Address>(10_000)
  const underWay = new Map<string, Promise<Kept>>()

  async function take(wanted: WantedProof, blocks: KnownBlocks): Promise<Kept> {
    const { chainId, claims } = wanted
    const [first] = claims
    if (first === undefined) {
      throw new ProofImpossibleError(
        wanted.impossible ?? 'No contract is indexed whose storage could hold what is to be proven.',
      )
    }
    const chain = chains.get(chainId)
    if (chain === undefined) {
      throw new ProofUnavailableError(
        `This server is not connected to chain ${chainId}, so that it cannot make proofs of its state.`,
        { retryAfterSeconds: null },
      )
    }
    const signal = AbortSignal.timeout(durationMaxMs)
    try {
      const read = (session: StateSession) => takeFrom(session, wanted, blocks)
      const proof = await chain.gate.run(() => chain.fetcher.run(first.place.contract, read, signal), signal)
      remember(proof)
      const text = JSON.stringify(proof)
      const at = Math.floor(now() / 1000)
      const entry = { proof, at, takenMs: clock.nowMs(), characters: text.length }
      kept.set(keyOf(wanted, null), entry)
      kept.set(keyOf(wanted, proof.block.hash), entry)
      await shared?.put(subjectOf(wanted), entry, text).catch(onUnshared)
      return entry
    } catch (error) {
      if (error instanceof OverloadedError || error instanceof ProofImpossibleError) throw error
      onFailure(chainId, error)
      throw new ProofUnavailableError(
        `No endpoint of chain ${chainId} proves its newest state: ${describeError(error)}`,
        { retryAfterSeconds, cause: error },
      )
    }
  }

  async function takeFrom(
    session: StateSession,
    wanted: WantedProof,
    blocks: KnownBlocks,
  ): Promise<StateProof> {
    const { chainId, protocol } = wanted
    const { host } = session
    const block = await readBlock(session)
    const newest = await blocks.findNewest(chainId)
    if (newest !== null && block.timestamp < newest.timestamp - behindMaxSeconds) {
      throw inconsistent(
        `${host} is behind: its newest block is ${block.number}, and block ${newest.number} is indexed`,
      )
    }
    if ((await blocks.stateOf(chainId, block)) === 'left') {
      throw inconsistent(`${host} has another block ${block.number} than the one that is indexed`)
    }
    const { takeStateProof } = await import('../stateProofs/takeStateProof.ts')
    const source = {
      block,
      ask: session.prove,
      implementationOf: (contract: Address) => implementations.get(`${chainId} ${contract}`) ?? null,
    }
    const takeOf = (claims: readonly PlacedClaim[]) =>
      takeStateProof(
        claims.map((each) => ({ ...each, chainId, protocol })),
        source,
      )
    const likely = order(chainId, wanted.claims)
    let taken = await takeOf(likely)
    // The contract may have been upgraded to another layout.
    if (taken.kind === 'unfit' && likely.length < wanted.claims.length) taken = await takeOf(wanted.claims)
    if (taken.kind === 'unfit') {
      if (newest !== null && block.number < newest.number) {
        throw inconsistent(`${host} is at block ${block.number}, and block ${newest.number} is indexed`)
      }
      throw new ProofImpossibleError(`Nothing can be proven: ${taken.reasons.join('; ')}.`)
    }
    if (taken.kind === 'unproven') {
      throw inconsistent(`the answer of ${host} to eth_getProof at block ${block.number} ${taken.reason}`)
    }
    const reason = wanted.contradiction?.(taken.proof) ?? null
    if (reason !== null) throw inconsistent(`the state of ${host} at block ${block.number} ${reason}`)
    return taken.proof
  }

  /** The claims with the layout that the contract had before. */
  function order(chainId: ChainId, claims: readonly PlacedClaim[]): readonly PlacedClaim[] {
    const known = claims.filter(({ place }) => layouts.get(`${chainId} ${place.contract}`) === place.layout)
    return known.length === 0 ? claims : known
  }

  function remember({ chainId, layout, contracts }: StateProof): void {
    layouts.set(`${chainId} ${layout.contract}`, layout.name)
    for (const { address, implementation } of contracts) {
      if (implementation !== null) implementations.set(`${chainId} ${address}`, implementation.address)
    }
  }

  const isCurrent = async ({ proof, takenMs }: Kept, { chainId }: WantedProof, blocks: KnownBlocks) => {
    if (clock.nowMs() - takenMs > currentMs) return false
    const newest = await blocks.findNewest(chainId)
    return newest === null || newest.number <= proof.block.number
  }

  /** The kept proof of a block, of this process or another one; null for the hash: the newest one. */
  async function findProof(
    wanted: Pick<WantedProof, 'chainId' | 'key'>,
    hash: string | null,
  ): Promise<KeptProof | null> {
    const own = kept.get(keyOf(wanted, hash))
    if (own !== undefined || shared === undefined) return own ?? null
    try {
      return await shared.find(subjectOf(wanted), hash)
    } catch (error) {
      onUnshared?.(error)
      return null
    }
  }

  /** A kept proof that contradicts neither the chain nor the index. */
  async function usable(
    wanted: WantedProof,
    entry: KeptProof | null,
    blocks: KnownBlocks,
    keptBecause: string | null,
  ): Promise<TakenProof | null> {
    if (entry === null || (wanted.contradiction?.(entry.proof) ?? null) !== null) return null
    const blockState = await blocks.stateOf(wanted.chainId, entry.proof.block)
    return blockState === 'left' ? null : { proof: entry.proof, at: entry.at, blockState, keptBecause }
  }

  return {
    async prove(wanted, blocks) {
      const key = keyOf(wanted, null)
      const known = kept.get(key)
      if (known !== undefined && (await isCurrent(known, wanted, blocks))) {
        const current = await usable(wanted, known, blocks, null)
        if (current !== null) return current
      }
      try {
        const shared = underWay.get(key) ?? take(wanted, blocks).finally(() => void underWay.delete(key))
        underWay.set(key, shared)
        const { proof, at } = await shared
        const blockState = await blocks.stateOf(wanted.chainId, proof.block)
        return { proof, at, blockState, keptBecause: null }
      } catch (error) {
        if (error instanceof ProofImpossibleError) throw error
        const older = await usable(wanted, await findProof(wanted, null), blocks, describeError(error))
        if (older === null) throw error
        return older
      }
    },
    async findKept(wanted, hash, blocks) {
      const entry = await findProof(wanted, hash)
      if (entry === null) return null
      const blockState = await blocks.stateOf(wanted.chainId, entry.proof.block)
      return { proof: entry.proof, at: entry.at, blockState, keptBecause: null }
    },
  }
}

function keyOf(wanted: Pick<WantedProof, 'chainId' | 'key'>, hash: string | null): string {
  return `${subjectOf(wanted)} ${hash ?? ''}`
}

function subjectOf({ chainId, key }: Pick<WantedProof, 'chainId' | 'key'>): string {
  return `${chainId} ${key}`
}

/** The block of a session, whose members have to hash to its hash. */
async function readBlock({ block, host }: StateSession): Promise<StateBlock> {
  const { encodeHeader } = await import('../proofs/encodeHeader.ts')
  const { stateBlockOf } = await import('../stateProofs/buildStateProof.ts')
  const headerRlp = encodeHeader(block)
  const read = headerRlp === null ? null : stateBlockOf(headerRlp)
  if (read !== null) return read
  throw new RpcMalformedError(`${host} has a newest block whose header has a form that is not known here.`, {
    retryable: true,
    facts: { host },
  })
}

function inconsistent(clause: string): InconsistentChainError {
  return new InconsistentChainError(`${asClause(clause)}.`, { retryable: true })
}
