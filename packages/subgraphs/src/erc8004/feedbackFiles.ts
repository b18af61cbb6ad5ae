import { readRegistration } from '@attestry/core/model/agentRegistration.ts'
import { parseFilePointer, withKeccak } from '@attestry/core/model/contentPointer.ts'
import type { ContentReads } from '@attestry/core/model/contentReads.ts'
import { parseHash, zeroHash } from '@attestry/core/model/hex.ts'
import { isJsonObject } from '@attestry/core/model/jsonObject.ts'
import { detailOf } from '@attestry/core/model/recordJson.ts'
import type { Budget } from '../engine/budget.ts'
import type { FieldValue } from '../engine/condition.ts'
import { identifierOf, uriType } from './agentRows.ts'
import { feedbackShortId, type FeedbackNode } from './feedbackRows.ts'
import { listValue, nullValue } from './readWhere.ts'

/** The file of feedback, by the names of the standard and those of its drafts. */
export interface FeedbackFileNode {
  readonly feedback: FeedbackNode
  readonly file: Readonly<Record<string, unknown>>
}

/** Characters of the longest file of feedback that is read. */
const fileLengthMax = 65_536

/** The files of feedback, in its order: those in `data:` URIs, and those that content has. */
export async function readFeedbackFiles(
  content: Pick<ContentReads, 'find'> | null,
  budget: Budget,
  nodes: readonly FeedbackNode[],
): Promise<readonly (FeedbackFileNode | null)[]> {
  const keys = nodes.map(keyOf)
  const wanted = new Set(keys.filter((key) => key !== null))
  const found = wanted.size === 0 ? undefined : await content?.find([...wanted], { each: fileLengthMax })
  return nodes.map((feedback, index) => {
    const uri = feedback.said.feedbackURI
    const json = found?.get(keys[index] ?? '')?.json ?? null
    budget.write(json?.length ?? 0)
    const file: unknown = json === null ? readRegistration(uri).file : JSON.parse(json)
    return isJsonObject(file) ? { feedback, file } : null
  })
}

function keyOf({ said }: FeedbackNode): string | null {
  const pointer = parseFilePointer(said.feedbackURI)
  const hash = parseHash(said.feedbackHash)
  return pointer && (hash === null || hash === zeroHash ? pointer : withKeccak(pointer, hash)).key
}

/** Where each text of a file is, by the field of the subgraph; the first that is there counts. */
const texts: Readonly<Record<string, readonly string[]>> = {
  agentRegistry: ['agentRegistry'],
  agentId: ['agentId'],
  clientAddress: ['clientAddress'],
  createdAtIso: ['createdAt'],
  valueRaw: ['value'],
  valueDecimals: ['valueDecimals'],
  text: ['text'],
  capability: ['capability'],
  name: ['name'],
  skill: ['skill'],
  task: ['task'],
  context: ['context'],
  mcpTool: ['mcp.tool'],
  mcpPrompt: ['mcp.prompt'],
  mcpResource: ['mcp.resource'],
  a2aContextId: ['a2a.contextId'],
  a2aTaskId: ['a2a.taskId'],
  proofOfPaymentFromAddress: ['proofOfPayment.fromAddress', 'proof_of_payment.fromAddress'],
  proofOfPaymentToAddress: ['proofOfPayment.toAddress', 'proof_of_payment.toAddress'],
  proofOfPaymentChainId: ['proofOfPayment.chainId', 'proof_of_payment.chainId'],
  proofOfPaymentTxHash: ['proofOfPayment.txHash', 'proof_of_payment.txHash'],
}
const lists: Readonly<Record<string, string>> = {
  a2aSkills: 'a2a.skills',
  oasfSkills: 'oasf.skills',
  oasfDomains: 'oasf.domains',
}
/** Fields whose texts are whole numbers, as GraphQL prints them. */
const wholeNumbers: ReadonlySet<string> = new Set(['agentId', 'valueRaw', 'valueDecimals'])

export const feedbackFileTexts = Object.keys(texts)
export const feedbackFileLists = Object.keys(lists)

/** The value of a field of a file of feedback; what is null is empty. */
export function feedbackFileValue(node: FeedbackFileNode, field: string): FieldValue {
  const { feedback, file } = node
  const { said, stored } = feedback
  const listed = lists[field]
  if (listed !== undefined) return listValue(feedbackFileList(node, field))
  if (texts[field] !== undefined) {
    const text = feedbackFileText(node, field)
    return wholeNumbers.has(field) && text !== nullValue ? Number(text) : text
  }
  switch (field) {
    case 'id':
      return `${detailOf(stored.detail).transactionHash}:${placeOf(said.feedbackURI)}`
    case 'cid':
      return placeOf(said.feedbackURI)
    case 'feedbackId':
      return feedbackShortId(feedback)
    case 'tag1':
    case 'tag2':
      // Those on chain count.
      return said[field] === '' ? textAt(file, [field]) : nullValue
    case 'createdAt':
      return stored.attestTimestamp
    default:
      throw new TypeError(`a file of feedback has no field ${field}`)
  }
}

/** A text of a file, which may be a whole number of any length. */
export function feedbackFileText({ file }: FeedbackFileNode, field: string): string {
  const text = textAt(file, texts[field] ?? [])
  return wholeNumbers.has(field) && !/^-?[0-9]{1,80}$/.test(text) ? nullValue : text
}

export function feedbackFileList({ file }: FeedbackFileNode, field: string): readonly string[] {
  const value = memberAt(file, lists[field] ?? '')
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : []
}

function placeOf(uri: string): string {
  return identifierOf(uri) ?? uriType(uri)
}

function textAt(file: FeedbackFileNode['file'], paths: readonly string[]): string {
  const value = paths.map((path) => memberAt(file, path)).find((each) => each !== undefined && each !== null)
  if (typeof value === 'string') return value
  // The digits of a larger number are not those of the file.
  const isExact = typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER
  return isExact ? String(value) : nullValue
}

function memberAt(file: FeedbackFileNode['file'], path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => {
    return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  }, file)
}
