import { parentPort } from 'node:worker_threads'
import { StoreInvariantError } from '@attestry/core/errors/storeErrors.ts'
import type { BlockBatch, IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { answerWriterCalls } from '../answerWriterCalls.ts'

/**
 * The body of a thread whose writer keeps nothing and does what the number of the chain in a call says. `listContracts`
 * tells by first blocks in which order batches came.
 */
const seen: number[] = []
let release: () => void = () => undefined

const writer: IndexWriter = {
  claimChain: (chainId) => Promise.resolve(chainId === 1),
  surveyChains: (chainIds) =>
    Promise.resolve(chainIds.map((chainId) => ({ chainId, candidates: 1, isClaimed: false }))),
  // Ends the wait of a chain that is being opened.
  releaseChain: () => Promise.resolve(release()),
  openChain: (chain) => {
    if (chain.name === 'crashes') process.nextTick(crash)
    if (chain.name === 'exits') process.exit(3)
    return new Promise((resolve) => {
      release = () => resolve({ checkpoint: null, recentBlocks: [], rewindTo: null, history: [] })
    })
  },
  listContracts: () =>
    Promise.resolve(
      seen.map((startBlock) => ({
        protocol: 'sign',
        address: `0x${'00'.repeat(20)}` as never,
        schemaRegistry: null,
        startBlock,
      })),
    ),
  advanceFields: () => Promise.resolve({ isDone: true, pending: 0 }),
  applyBlocks: (_, batch: BlockBatch) => {
    seen.push(batch.fromBlock)
    return Promise.resolve({
      schemas: 0,
      attestations: batch.events.length,
      revocations: 0,
      anchors: 0,
      undecodable: 0,
    })
  },
  revertBlocks: (chainId, toBlock) => {
    if (toBlock === 0) throw new RangeError('thrown at once')
    const facts = { chainId, toBlock, ...(toBlock === 2 ? { cannotBeCloned: () => undefined } : {}) }
    return Promise.reject(
      new StoreInvariantError('the blocks are not there', {
        retryable: true,
        facts,
        cause: new Error('why'),
      }),
    )
  },
  saveChainStatus: () => Promise.resolve(),
  forgetBlocks: () => Promise.resolve(),
  markDefect: () => Promise.resolve(),
  noteVerification: () => Promise.resolve(),
  readEventPositions: () => Promise.resolve([]),
  countRecords: () =>
    Promise.resolve({
      defect: null,
      protocols: [],
      subjects: [],
      unknown: [],
      undecodable: [],
    }),
  listSubjectCounts: () => Promise.resolve([]),
  claimHooks: () => Promise.resolve(true),
  saveHooks: () => Promise.resolve(),
  orderHook: () => Promise.resolve(),
  close: () => Promise.resolve(),
}

function crash(): void {
  throw new TypeError('a defect')
}

if (parentPort === null) throw new Error('this module is the body of a thread')
answerWriterCalls(parentPort, writer)
parentPort.postMessage({ kind: 'opened' })
