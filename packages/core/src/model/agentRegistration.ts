import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { isJsonObject } from './jsonObject.ts'
import type { ContentState } from './knownContent.ts'
import { nestsDeeper } from './nesting.ts'

/**
 * The registration file that an agent's URI holds or points to. A `data:` URI holds its file, as does JSON or base64 in
 * place of a URI; the file is read at once. Any other URI points to a file that the chain does not have.
 */

/**
 * `none`: there is no URI. `read`: the file is in the URI. `unread`: the URI points elsewhere. `refused`: the URI should
 * hold a file or lead to one, and does not. The index knows these; where content is fetched, the state of the content
 * stands in place of `unread`.
 */
export type UriState = 'none' | 'read' | 'unread' | ContentState

/** An agent's profile from its registration file. Texts are cut at a bound; unknown ones are empty. */
export interface AgentProfile {
  readonly uriState: UriState
  /** A sentence about a URI whose file is not known; otherwise empty. */
  readonly uriReason: string
  readonly name: string
  readonly description: string
  readonly image: string
  /** null: the file does not say. */
  readonly active: boolean | null
  readonly endpoints: readonly AgentEndpoint[]
  /** Whether the agent takes payments by x402; null: the file does not say. */
  readonly x402: boolean | null
  /** The models of trust that the agent supports, such as `reputation`. */
  readonly trusts: readonly string[]
  /** The skills and domains of its OASF service. */
  readonly skills: readonly string[]
  readonly domains: readonly string[]
}

export interface AgentEndpoint {
  readonly name: string
  readonly endpoint: string
  readonly version: string
}

export type RegistrationFile = Readonly<Record<string, unknown>>

export interface AgentRegistration {
  readonly profile: AgentProfile
  /** The file; null unless it was read. */
  readonly file: RegistrationFile | null
}

/** Longest file that is read, in bytes, and its greatest depth of arrays and objects. */
const fileBytesMax = 256 * 1024
const fileDepthMax = 32

const textMax = { name: 256, description: 4_096, url: 2_048 } as const
const endpointsMax = 64

/** Reads what a URI says. Never throws, whatever the URI is. */
export function readRegistration(uri: string): AgentRegistration {
  if (uri.trim() === '') return without('none')
  const text = /^\s*data:/i.test(uri) ? decodeDataUri(uri.trim()) : decodeBareFile(uri)
  if (text === null) return without('unread')
  if (typeof text !== 'string') return without('refused', text.reason)
  if (nestsDeeper(text, fileDepthMax)) {
    return without('refused', `The file nests arrays and objects deeper than ${fileDepthMax} levels.`)
  }
  const file = parseObject(text)
  if (file === null) {
    const holder = /^\s*data:/i.test(uri) ? 'The data: URI' : 'The text in place of a URI'
    return without('refused', `${holder} holds no JSON object.`)
  }
  return { profile: profileOf(file), file }
}

/** Whether the file of an agent is known. */
export function hasRegistration({ uriState }: Pick<AgentProfile, 'uriState'>): boolean {
  return uriState === 'read' || uriState === 'verified' || uriState === 'unverified'
}

/** The profile in a registration file, as JSON of at most `profileLengthMax` characters; null if it has none. */
export function profileTextOf(json: string): string | null {
  const file = parseObject(json)
  if (file === null) return null
  let profile = profileOf(file)
  while (JSON.stringify(profile).length > profileLengthMax) profile = halved(profile)
  const { name, description, image, active, endpoints } = profile
  const isEmpty = active === null && endpoints.length === 0 && `${name}${description}${image}` === ''
  return isEmpty ? null : JSON.stringify(profile)
}

/** The profile of a URI whose content says this, or nothing. */
export function profileOfContent(
  uriState: UriState,
  uriReason: string,
  profileText: string | null,
): AgentProfile {
  const { profile } = without(uriState, uriReason)
  // `profileTextOf` made the text.
  return profileText === null
    ? profile
    : { ...(JSON.parse(profileText) as AgentProfile), uriState, uriReason }
}

/** Characters that hold name, description and image, escaped; lists are cut until they fit as well. */
const profileLengthMax = 48 * 1024

function halved(profile: AgentProfile): AgentProfile {
  const half = <Item>(list: readonly Item[]) => list.slice(0, list.length >> 1)
  const { endpoints, trusts, skills, domains } = profile
  return {
    ...profile,
    endpoints: half(endpoints),
    trusts: half(trusts),
    skills: half(skills),
    domains: half(domains),
  }
}

function without(uriState: UriState, uriReason = ''): AgentRegistration {
  const texts = { name: '', description: '', image: '' }
  const lists = { endpoints: [], trusts: [], skills: [], domains: [] }
  return { profile: { uriState, uriReason, ...texts, active: null, x402: null, ...lists }, file: null }
}

/**
 * The file in a text that stands in place of a URI: JSON as it is or percent-encoded, or JSON in base64, which begins
 * with `e`; null for any other text.
 */
function decodeBareFile(text: string): string | { readonly reason: string } | null {
  const isJson = /^\s*(?:\{|%7b)/i.test(text)
  if (!isJson && !/^\s*e[wy]/.test(text)) return null
  if (text.length > fileBytesMax * 3)
    return isJson ? tooLong('The text in place of a URI', text.length, 'characters') : null
  const file = isJson ? decodePercents(text) : decodeBase64(text)
  if (!isJson && file?.trimStart().startsWith('{') !== true) return null
  if (file === null) return { reason: 'The text in place of a URI is not valid percent-encoding of UTF-8.' }
  const size = Buffer.byteLength(file)
  return size > fileBytesMax ? tooLong('The text in place of a URI', size, 'bytes') : file
}

/** The text of a `data:` URI, in base64 or percent-encoded, and compressed if a parameter says so. */
function decodeDataUri(uri: string): string | { readonly reason: string } {
  const comma = uri.indexOf(',')
  if (comma === -1) return { reason: 'The data: URI has no comma before its data.' }
  const parameters = uri.slice('data:'.length, comma).toLowerCase().split(';')
  const encoding = parameters
    .map((each) => /^\s*(?:enc|content-encoding)=(.*?)\s*$/.exec(each)?.[1])
    .find((each) => each !== undefined)
  const data = uri.slice(comma + 1)
  const isBase64 = parameters.some((each) => each.trim() === 'base64')
  // A byte takes up to three characters.
  if (data.length > fileBytesMax * 3) return tooLong('The data: URI', data.length, 'characters')
  if (encoding !== undefined) return decompress(data, encoding)
  const text = isBase64 ? decodeBase64(data) : decodePercents(data)
  if (text === null) {
    return { reason: `The data: URI is not valid ${isBase64 ? 'base64' : 'percent-encoding'} of UTF-8.` }
  }
  const size = Buffer.byteLength(text)
  return size > fileBytesMax ? tooLong('The data: URI', size, 'bytes') : text
}

function tooLong(holder: string, size: number, unit: string): { readonly reason: string } {
  return { reason: `${holder} holds ${size} ${unit}, and no more than ${fileBytesMax} bytes are read.` }
}

const decompressors: Readonly<
  Record<string, (bytes: Uint8Array, bounds: { maxOutputLength: number }) => Uint8Array>
> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
}

/** The text of compressed data, which is always in base64. */
function decompress(data: string, encoding: string): string | { readonly reason: string } {
  const unpack = Object.hasOwn(decompressors, encoding) ? decompressors[encoding] : undefined
  if (unpack === undefined) {
    return {
      reason: `The data: URI is compressed in another way than ${Object.keys(decompressors).join(', ')}.`,
    }
  }
  const bytes = decodeBase64Bytes(data)
  try {
    const text = bytes && decodeUtf8(unpack(bytes, { maxOutputLength: fileBytesMax }))
    if (text !== null) return text
  } catch {
    // Bytes that cannot be unpacked, or more than are read.
  }
  return { reason: `The data: URI holds no ${encoding} in base64 of at most ${fileBytesMax} bytes of UTF-8.` }
}

function decodeBase64(data: string): string | null {
  const bytes = decodeBase64Bytes(data)
  return bytes && decodeUtf8(bytes)
}

/** In either alphabet, with or without padding. */
function decodeBase64Bytes(data: string): Uint8Array | null {
  const bare = decodePercents(data)?.replaceAll(/\s/g, '') ?? ''
  return /^[A-Za-z0-9+/_-]*={0,2}$/.test(bare) ? Buffer.from(bare, 'base64') : null
}

function decodePercents(data: string): string | null {
  try {
    return decodeURIComponent(data)
  } catch {
    // A text with a bare % was written without encoding.
    return data.includes('%7B') || data.includes('%7b') ? null : data
  }
}

function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

function parseObject(text: string): RegistrationFile | null {
  try {
    const parsed: unknown = JSON.parse(text)
    return isJsonObject(parsed) ? parsed : null
  } catch {
    return null
  }
}

function profileOf(file: RegistrationFile): AgentProfile {
  const active = own(file, 'active')
  const x402 = own(file, 'x402Support') ?? own(file, 'x402support')
  const isEnabled = isJsonObject(x402) ? own(x402, 'enabled') : x402
  const oasf = servicesOf(file).findLast(
    (each) => textOf(each, 'name', textMax.name).toLowerCase() === 'oasf',
  )
  return {
    uriState: 'read',
    uriReason: '',
    name: textOf(file, 'name', textMax.name),
    description: textOf(file, 'description', textMax.description),
    image: textOf(file, 'image', textMax.url),
    active: typeof active === 'boolean' ? active : null,
    endpoints: servicesOf(file)
      .slice(0, endpointsMax)
      .map((each) => ({
        name: textOf(each, 'name', textMax.name),
        endpoint: textOf(each, 'endpoint', textMax.url),
        version: textOf(each, 'version', textMax.name),
      })),
    x402: typeof isEnabled === 'boolean' ? isEnabled : null,
    trusts: textsOf(file, 'supportedTrusts', 'supportedTrust'),
    skills: textsOf(oasf ?? {}, 'skills'),
    domains: textsOf(oasf ?? {}, 'domains'),
  }
}

/** The texts of the first of these members that is a list. */
function textsOf(file: RegistrationFile, ...names: readonly string[]): readonly string[] {
  const listed = names.map((name) => own(file, name)).find((value) => Array.isArray(value))
  if (!Array.isArray(listed)) return []
  const texts = listed.filter((each): each is string => typeof each === 'string')
  return texts.slice(0, endpointsMax).map((each) => each.slice(0, textMax.name))
}

/** The services that a file lists; files of earlier drafts call them `endpoints`. */
export function servicesOf(file: RegistrationFile): readonly RegistrationFile[] {
  const listed = own(file, 'services') ?? own(file, 'endpoints')
  return Array.isArray(listed) ? listed.filter(isJsonObject) : []
}

function textOf(file: RegistrationFile, name: string, lengthMax: number): string {
  const value = own(file, name)
  return typeof value === 'string' ? value.slice(0, lengthMax) : ''
}

function own(file: RegistrationFile, name: string): unknown {
  return Object.hasOwn(file, name) ? file[name] : undefined
}
