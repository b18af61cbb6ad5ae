import { readRegistration } from '@attestry/core/model/agentRegistration.ts'
import { parseFilePointer, withKeccak } from '@attestry/core/model/contentPointer.ts'
import type { ContentReads } from '@attestry/core/model/contentReads.ts'
import { parseHash, zeroHash } from '@attestry/core/model/hex.ts'
import { isJsonObject } from '@attestry/core/model/jsonObject.ts'
import { detailOf } from '@attestry/core/model/recordJson.ts'
import type { Budget } from '../engine/budget.ts'
import { comparedValues, type GraphNodeField } from '../engine/graphNode/entity.ts'
import { feedbackShortId, type FeedbackNode } from './feedbackRows.ts'
import { field } from './fields.ts'
import { identifierOf, uriType } from './registrationFile.ts'

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

/** The text at the first of these places in a file that has one. */
function text(...paths: readonly string[]): GraphNodeField<FeedbackFileNode, unknown> {
  return field('String', ({ file }) => textAt(file, paths))
}

/** A whole number of any length. */
function whole(type: 'BigInt' | 'Int', path: string): GraphNodeField<FeedbackFileNode, unknown> {
  return field(type, ({ file }) => {
    const digits = textAt(file, [path])
    return digits !== null && /^-?[0-9]{1,80}$/.test(digits) ? digits : null
  })
}

function texts(path: string): GraphNodeField<FeedbackFileNode, unknown> {
  return field('[String!]!', ({ file }) => {
    const value = memberAt(file, path)
    return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : []
  })
}

/** A tag of the file; the one on chain counts. */
function tag(name: 'tag1' | 'tag2'): GraphNodeField<FeedbackFileNode, unknown> {
  return field('String', ({ feedback, file }) => (feedback.said[name] === '' ? textAt(file, [name]) : null))
}

function payment(name: string): GraphNodeField<FeedbackFileNode, unknown> {
  return text(`proofOfPayment.${name}`, `proof_of_payment.${name}`)
}

export const feedbackFileFields: Readonly<Record<string, GraphNodeField<FeedbackFileNode, unknown>>> = {
  id: field(
    'ID!',
    ({ feedback: { said, stored } }) =>
      `${detailOf(stored.detail).transactionHash}:${placeOf(said.feedbackURI)}`,
  ),
  cid: field('String!', ({ feedback }) => placeOf(feedback.said.feedbackURI)),
  feedbackId: field('String!', ({ feedback }) => feedbackShortId(feedback)),
  agentRegistry: text('agentRegistry'),
  agentId: whole('BigInt', 'agentId'),
  clientAddress: text('clientAddress'),
  createdAtIso: { ...text('createdAt'), description: '`createdAt` of the file.' },
  valueRaw: whole('BigInt', 'value'),
  valueDecimals: whole('Int', 'valueDecimals'),
  text: text('text'),
  capability: text('capability'),
  name: text('name'),
  skill: text('skill'),
  task: text('task'),
  context: text('context'),
  mcpTool: text('mcp.tool'),
  mcpPrompt: text('mcp.prompt'),
  mcpResource: text('mcp.resource'),
  a2aSkills: texts('a2a.skills'),
  a2aContextId: text('a2a.contextId'),
  a2aTaskId: text('a2a.taskId'),
  oasfSkills: texts('oasf.skills'),
  oasfDomains: texts('oasf.domains'),
  proofOfPaymentFromAddress: payment('fromAddress'),
  proofOfPaymentToAddress: payment('toAddress'),
  proofOfPaymentChainId: payment('chainId'),
  proofOfPaymentTxHash: payment('txHash'),
  tag1: tag('tag1'),
  tag2: tag('tag2'),
  createdAt: field('BigInt!', ({ feedback }) => feedback.stored.attestTimestamp),
}

/** The value of a field of a file of feedback. */
export const feedbackFileValue = comparedValues(feedbackFileFields)

function placeOf(uri: string): string {
  return identifierOf(uri) ?? uriType(uri)
}

/** A text of a file; null if it is empty, or no text or exact number. */
function textAt(file: FeedbackFileNode['file'], paths: readonly string[]): string | null {
  const value = paths.map((path) => memberAt(file, path)).find((each) => each !== undefined && each !== null)
  if (typeof value === 'string') return value || null
  // The digits of a larger number are not those of the file.
  const isExact = typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER
  return isExact ? String(value) : null
}

function memberAt(file: FeedbackFileNode['file'], path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => {
    return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  }, file)
}
