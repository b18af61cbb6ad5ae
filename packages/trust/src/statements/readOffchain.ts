import { isEasLink, readEasLink } from './readEasLink.ts'
import { readEasEnvelope } from './readEasEnvelope.ts'
import { readSignBody } from './readSignBody.ts'
import type { ReadOffchain } from '@attestry/core/model/offchainRecord.ts'
import { type Members, readMembers, UnreadableInput, withLowerNames } from './unreadable.ts'

/** The greatest length of an input, in characters. */
export const offchainTextMax = 1024 * 1024

/**
 * Reads the forms of an off-chain attestation that a holder may have: an envelope of EAS or BAS, `{"url": link}`, the
 * body that Sign Protocol's client sends, or a link itself. Never rejects, whatever the text is.
 */
export async function readOffchain(text: string): Promise<ReadOffchain> {
  if (text.length > offchainTextMax) {
    return unreadable(`The input is longer than ${offchainTextMax} characters`)
  }
  try {
    return await readAny(text)
  } catch (error) {
    if (error instanceof UnreadableInput) return unreadable(error.message)
    throw error
  }
}

async function readAny(text: string): Promise<ReadOffchain> {
  const trimmed = text.trim()
  if (!trimmed.startsWith('{') && isEasLink(trimmed)) return await readLink(trimmed)
  const members = withLowerNames(readMembers(parse(trimmed), 'The input'))
  // The body that easscan's store takes, and its files are: the envelope as a text of its own.
  if (typeof members['textJson'] === 'string') {
    return readEnvelope(withLowerNames(readMembers(parse(members['textJson'].trim()), 'textJson')))
  }
  return await readEnvelope(members)
}

async function readEnvelope(members: Members): Promise<ReadOffchain> {
  if (typeof members['url'] === 'string') {
    if (isEasLink(members['url'])) return await readLink(members['url'])
    throw new UnreadableInput('url is no link that holds an attestation: #attestation= is missing')
  }
  if ('signType' in members) return { kind: 'record', record: readSignBody(members), envelope: members }
  if ('sig' in members) return { kind: 'record', record: readEasEnvelope(members), envelope: members }
  // Programs of BAS write what others have in `sig`, and no signer.
  if ('message' in members && 'signature' in members) {
    const envelope = { sig: members }
    return { kind: 'record', record: readEasEnvelope(envelope, 'mayLackSigner'), envelope }
  }
  throw new UnreadableInput(
    'The input is none of these: an envelope with sig and signer (EAS, BAS), a link in url, a signed body with signType (Sign Protocol)',
  )
}

async function readLink(link: string): Promise<ReadOffchain> {
  const envelope = await readEasLink(link)
  return { kind: 'record', record: readEasEnvelope(envelope), envelope }
}

/** Parses JSON whose integers beyond 2^53 become texts of their digits: Python and Go write `r` and `s` so. */
function parseExactly(text: string): unknown {
  if (!/[:[,]\s*[0-9]{16,}/.test(text)) return JSON.parse(text)
  return JSON.parse(text, (_name, value: unknown, context?: { readonly source?: string }) => {
    const source = context?.source
    const isInexact = typeof value === 'number' && !Number.isSafeInteger(value)
    return isInexact && source !== undefined && /^[0-9]+$/.test(source) ? source : value
  })
}

function parse(text: string): unknown {
  try {
    return parseExactly(text)
  } catch {
    throw new UnreadableInput('The input is neither JSON nor a link with #attestation=')
  }
}

function unreadable(reason: string): ReadOffchain {
  return { kind: 'unreadable', reason }
}
