import { zeroAddress, zeroHash } from '@attestry/core/model/hex.ts'
import { messageFields } from './readEasEnvelope.ts'
import { type Members, parseJson, readList, UnreadableInput } from './unreadable.ts'

/** The greatest size of an unpacked link, in bytes. A packed one can expand to a thousand times its size. */
export const unpackedBytesMax = 1024 * 1024

/** Programs that share links add parameters before or after the attestation. */
const fragment = /#(?:[^#]*&)?attestation=([^&#\s]*)/

/** Whether a text is a link that holds an attestation, as easscan and BAS's explorer share them. */
export function isEasLink(text: string): boolean {
  return fragment.test(text)
}

/**
 * The envelope in a link `…/offchain/url/#attestation=<base64 of zlib of a JSON list>`. The host is not looked at, and
 * nothing is fetched.
 * @throws UnreadableInput
 */
export async function readEasLink(link: string): Promise<Members> {
  const packed = fragment.exec(link)?.[1] ?? ''
  const text = await inflate(decodeBase64(packed))
  return toEnvelope(readList(parseJson(text, 'The content of the link'), 'The content of the link'))
}

function decodeBase64(packed: string): Uint8Array<ArrayBuffer> {
  try {
    // Some programs shorten links by the alphabet for URLs (RFC 4648, section 5).
    const base64 = decodeURIComponent(packed).replaceAll('-', '+').replaceAll('_', '/')
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    throw new UnreadableInput('The link holds no base64 behind #attestation=')
  }
}

/** Unpacks piece by piece and stops at the greatest size, so that a small link cannot fill the memory. */
async function inflate(packed: Uint8Array<ArrayBuffer>): Promise<string> {
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate')).getReader()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let size = 0
  for (;;) {
    const piece = await readPiece(reader)
    if (piece === null) return text
    size += piece.length
    if (size > unpackedBytesMax) {
      await reader.cancel()
      throw new UnreadableInput(`The link unpacks to more than ${unpackedBytesMax} bytes`)
    }
    try {
      text += decoder.decode(piece, { stream: true })
    } catch {
      throw new UnreadableInput('The link unpacks to bytes that are no text')
    }
  }
}

async function readPiece(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Uint8Array | null> {
  try {
    const { done, value } = await reader.read()
    return done ? null : value
  } catch {
    throw new UnreadableInput('The link cannot be unpacked: it is cut off or damaged')
  }
}

/** The envelope of the entries of a link, by their places. */
function toEnvelope(entries: readonly unknown[]): Members {
  if (entries.length < 16 || entries.length > 18) {
    throw new UnreadableInput(`The link holds a list of ${entries.length} entries, and EAS's have 16 to 18`)
  }
  const [domainVersion, chainId, verifyingContract, r, s, v, signer, uid, schema, recipient] = entries
  const [time, expirationTime, refUID, revocable, data, , given, salt] = entries.slice(10)
  const version = given ?? 0
  if (version !== 0 && version !== 1 && version !== 2) {
    throw new UnreadableInput('The link holds a version of EAS that is none of 0, 1 and 2')
  }
  const fields = messageFields(version).map(([name, type]) => ({ name, type }))
  return {
    sig: {
      domain: { version: domainVersion, chainId, verifyingContract },
      types: { Attest: fields },
      message: {
        version,
        schema,
        recipient: recipient === '0' ? zeroAddress : recipient,
        time,
        expirationTime,
        refUID: refUID === '0' ? zeroHash : refUID,
        revocable,
        data,
        ...(version === 2 ? { salt } : {}),
      },
      uid,
      signature: { r, s, v },
      version,
    },
    signer,
  }
}
