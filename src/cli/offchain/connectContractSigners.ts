import { bytesToHex } from '@noble/hashes/utils.js'
import type { Logger } from 'pino'
import type { RpcCount } from '../../http/metrics/createMetrics.ts'
import { createContractCaller, type ContractCaller } from '../../chain/createContractCaller.ts'
import { OverloadedError } from '../../errors/apiErrors.ts'
import { presentAsker } from '../../http/limits/askers.ts'
import { AttestryError, describeError } from '../../errors/baseError.ts'
import { steadyClock } from '../../model/clock.ts'
import type { ChainId } from '../../model/compositeId.ts'
import type { Hex } from '../../model/hex.ts'
import type { AskContractSigner, ContractAnswer, ContractSignature } from '../../model/offchainRecord.ts'
import { encodeAbiValues } from '../../protocols/abi/encodeAbiValue.ts'
import { bytesOf } from '../../protocols/bytes.ts'
import { parseAbiParameters } from '../../protocols/abi/parseAbiParameters.ts'
import type { ChainConfig } from '../config/resolveChains.ts'
import { createRequestCounter } from '../createRequestCounter.ts'
import { createFetchGate, type FetchGate } from '../proofs/fetchGate.ts'

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

/**
 * Asks accounts of the configured chains for ERC-1271 and ERC-6492 signatures. The connections are apart from the
 * indexer's, which may run in another process. The first request is sent for the first question.
 */
export function connectContractSigners(
  chains: readonly Pick<ChainConfig, 'chainId' | 'rpc' | 'requests'>[],
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
      concurrencyPerEndpoint: Math.min(2, requests.inFlight),
      callsPerSecond: requests.perSecond,
      onRequest: (host, errorCode) => counter.count(chainId, host, errorCode),
    })
    callers.set(chainId, { caller, gate: createFetchGate(limits, steadyClock, 'contracts') })
  }

  async function askChain(chainId: ChainId, code: Hex): Promise<ContractAnswer> {
    const connected = callers.get(chainId)
    if (connected === undefined)
      return unknown(`This server is not connected to chain ${chainId}, so that no contract there was asked.`)
    const signal = AbortSignal.any([AbortSignal.timeout(questionTimeoutMs), closing.signal])
    try {
      const result = await connected.gate.run(() => connected.caller.run(code, signal), signal)
      return { kind: result !== null && /^0x0*1$/.test(result) ? 'signed' : 'notSigned' }
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
      return unknown(`The endpoints of chain ${chainId} do not answer, so that no contract there was asked.`)
    }
  }

  return {
    async ask(question) {
      if (bytesOf(question.signature).length < signatureBytesMin) {
        return unknown(`A signature of fewer than ${signatureBytesMin} bytes is asked of no contract here.`)
      }
      const code = await encodeQuestion(question)
      const { chainId } = question
      if (chainId !== null) return await askChain(chainId, code)
      if (callers.size === 0)
        return unknown('This server is connected to no chain, so that no contract was asked.')
      let answer: ContractAnswer = { kind: 'notSigned' }
      for (const each of callers.keys()) {
        const told = await askChain(each, code)
        if (told.kind === 'signed') return told
        if (told.kind === 'unknown') answer = told
      }
      return answer
    },
    rpcCounts: counter.counts,
    async close() {
      closing.abort()
      await Promise.allSettled([...callers.values()].map(({ caller }) => caller.close()))
    },
  }
}

/** The validator looks at the last 32 bytes for the mark of ERC-6492, and fails where there are fewer. */
const signatureBytesMin = 32

const questionTypes = (parseAbiParameters('address, bytes32, bytes') ?? []).map(({ type }) => type)

/** The code of the validator of ERC-6492's reference implementation, and what its constructor takes. */
async function encodeQuestion({ signer, hash, signature }: ContractSignature): Promise<Hex> {
  // Loaded with the first question: few servers are asked one, and the library is large.
  const { erc6492SignatureValidatorByteCode } = await import('viem')
  const encoded = encodeAbiValues(questionTypes, [signer, hash, signature])
  if (encoded === null) throw new TypeError('an address, a hash and bytes can be encoded')
  return `${erc6492SignatureValidatorByteCode}${bytesToHex(encoded)}` as Hex
}

function unknown(reason: string): ContractAnswer {
  return { kind: 'unknown', reason }
}
