import type { Logger } from 'pino'
import type { RpcCount } from '@attestry/host/createRequestCounter.ts'
import { createContractCaller, type ContractCaller } from '@attestry/core/chain/createContractCaller.ts'
import { OverloadedError } from '@attestry/core/errors/apiErrors.ts'
import { presentAsker } from '@attestry/core/shares/askers.ts'
import { AttestryError, describeError } from '@attestry/core/errors/baseError.ts'
import { InconsistentChainError } from '@attestry/core/errors/reorgErrors.ts'
import { steadyClock } from '@attestry/core/model/clock.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type {
  AskContractSigner,
  AskedAt,
  ContractAnswer,
  ContractSignature,
} from '@attestry/core/model/offchainRecord.ts'
import {
  acceptsSignature,
  encodeSignatureCalls,
  type SignatureCalls,
} from '../statements/contractSignature.ts'
import type { ChainConfig } from '@attestry/host/config/resolveChains.ts'
import { createRequestCounter } from '@attestry/host/createRequestCounter.ts'
import { createFetchGate, type FetchGate } from './fetchGate.ts'

export interface ContractSigners {
  readonly ask: AskContractSigner
  /** Requests to endpoints, since the start. */
  rpcCounts(): readonly RpcCount[]
  close(): Promise<void>
}

/** Questions of readers to the endpoints of one chain, of which one process sends no more. */
const limits = { blocksAtOnceMax: 2, blocksWaitingMax: 20, blocksPerMinute: 60 }
const questionTimeoutMs = 6_000
const requestTimeoutMs = 4_000
const attemptsMax = 2
/** How long the answer of an endpoint is waited for that others are compared with. */
const agreementTimeoutMs = 2_000

/**
 * Asks accounts of the configured chains for ERC-1271 and ERC-6492 signatures. The connections are apart from the
 * indexer's, which may run in another process. The first request is sent for the first question.
 * @param signerChains the chains that are asked about statements that name none.
 */
export function connectContractSigners(
  chains: readonly Pick<ChainConfig, 'chainId' | 'rpc' | 'requests'>[],
  signerChains: readonly ChainId[],
  logger: Logger,
): ContractSigners {
  const counter = createRequestCounter()
  const closing = new AbortController()
  const callers = new Map<ChainId, { readonly caller: ContractCaller; readonly gate: FetchGate }>()
  for (const { chainId, rpc, requests } of chains.filter((chain) => chain.rpc.length > 0)) {
    const caller = createContractCaller({
      chainId,
      endpoints: rpc,
      requestTimeoutMs,
      callBudgetMs: questionTimeoutMs,
      attemptsMax,
      agreementTimeoutMs,
      concurrencyPerEndpoint: Math.min(2, requests.inFlight),
      callsPerSecond: requests.perSecond,
      onRequest: (host, errorCode) => counter.count(chainId, host, errorCode),
    })
    callers.set(chainId, { caller, gate: createFetchGate(limits, steadyClock, 'contracts') })
  }

  async function askChain(
    chainId: ChainId,
    { signer }: ContractSignature,
    calls: SignatureCalls,
  ): Promise<ContractAnswer> {
    const connected = callers.get(chainId)
    if (connected === undefined)
      return unknown(`This server is not connected to chain ${chainId}, so that no contract there was asked.`)
    const { caller, gate } = connected
    const signal = AbortSignal.any([AbortSignal.timeout(questionTimeoutMs), closing.signal])
    try {
      return await gate.run(async (): Promise<ContractAnswer> => {
        const block = await caller.findBlock(signal)
        const at = { chainId, block: block.number }
        // An account without code has a key only, unless the signature deploys it. The state of an account that has code
        // counts as it is: a call that the signature brings could change that state before the account is asked.
        const call = (await caller.hasCode(signer, block, signal)) ? calls.deployed : calls.undeployed
        const isAccepted = call !== null && acceptsSignature(await caller.call(call, block, signal))
        return isAccepted ? { kind: 'signed', at } : { kind: 'notSigned', at: [at] }
      }, signal)
    } catch (error) {
      // A client comes back later; an import of the program goes on with the next line.
      if (error instanceof OverloadedError && presentAsker() !== null) throw error
      if (error instanceof OverloadedError)
        return unknown('Too many contracts are asked just now; try again in a minute.')
      const errorCode = error instanceof AttestryError ? error.code : undefined
      logger.warn(
        { chainId, code: errorCode },
        `chain ${chainId}: a contract cannot be asked for a signature: ${describeError(error)}`,
      )
      return unknown(
        error instanceof InconsistentChainError
          ? `The endpoints of chain ${chainId} disagree, so that it is not known what a contract there answers.`
          : `Too few endpoints of chain ${chainId} answer, so that no contract there was asked.`,
      )
    }
  }

  return {
    async ask(question) {
      const calls = encodeSignatureCalls(question.signer, question.hash, question.signature)
      if (calls === null) return { kind: 'notSigned', at: [] }
      const { chainId } = question
      const chainIds = chainId === null ? signerChains : [chainId]
      if (chainIds.length === 0) {
        return unknown(
          'It names no chain, and offchain.signerChains of this server names none either, so that no contract was asked.',
        )
      }
      const at: AskedAt[] = []
      let missing: ContractAnswer | null = null
      for (const each of chainIds) {
        const answer = await askChain(each, question, calls)
        if (answer.kind === 'signed') return answer
        if (answer.kind === 'notSigned') at.push(...answer.at)
        else missing = answer
      }
      return missing ?? { kind: 'notSigned', at }
    },
    rpcCounts: counter.counts,
    async close() {
      closing.abort()
      await Promise.allSettled([...callers.values()].map(({ caller }) => caller.close()))
    },
  }
}

function unknown(reason: string): ContractAnswer {
  return { kind: 'unknown', reason }
}
