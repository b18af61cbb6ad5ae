import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/**
 * Makes `decodedDataVectors.json`: schemas, payloads, and what the SDK of EAS prints of them. The SDK brings a hundred
 * packages, so that it is no dependency; in a folder of its own:
 *
 *     npm install --ignore-scripts @ethereum-attestation-service/eas-sdk@0.28.2 tslib
 *     node <repository>/src/protocols/eas/testing/makeDecodedDataVectors.ts <folder>
 *
 * Half of the payloads are encoded by ethers, half are random words. Tuples hold only small integers, texts, bytes,
 * addresses and booleans: the SDK leaves out other members, which the program does not.
 */

interface Encoder {
  readonly schema: readonly { readonly type: string; readonly signature: string }[]
  decodeData(data: string): unknown
}

const require = createRequire(join(process.argv[2] ?? '.', 'package.json'))
const library = '@ethereum-attestation-service/eas-sdk'
const { SchemaEncoder } = require(library) as {
  SchemaEncoder: new (schema: string) => Encoder
}
const { defaultAbiCoder } = (
  require('ethers') as {
    utils: { defaultAbiCoder: { encode(types: readonly string[], values: readonly unknown[]): string } }
  }
).utils

let state = 20_251_122
/** A number below `bound`, from a seed. */
function draw(bound: number): number {
  state = (state * 1_103_515_245 + 12_345) % 2 ** 31
  return Math.floor((state / 2 ** 31) * bound)
}

function pick<Value>(values: readonly Value[]): Value {
  const value = values[draw(values.length)]
  if (value === undefined) throw new Error('nothing to pick from')
  return value
}

const small = ['uint8', 'uint48', 'int32', 'bool', 'address', 'string', 'bytes', 'bytes32']
const types = [
  ...small,
  'uint16',
  'uint56',
  'uint256',
  'uint',
  'int8',
  'int256',
  'int',
  'bytes1',
  'ipfsHash',
  'bytes20',
]
const names = [
  '',
  'a',
  'voteIndex',
  'is-human',
  'ipfsHash',
  'memory',
  'x?',
  'été',
  'a b',
  'payable',
  'indexed',
  'calldata',
]
const dimensions = ['', '', '', '[]', '[2]', '[][]', '[2][]', '[][3]']
const spaces = ['', ' ', '  ', '\t']

function drawParameter(): string {
  if (draw(5) > 0) return `${pick(types)}${pick(dimensions)} ${pick(names)}`
  const members = Array.from({ length: 1 + draw(3) }, () => `${pick(small)} ${pick(names)}`)
  return `${pick(['', 'tuple'])}(${members.join(pick([',', ', ']))})${pick(['', '[]'])} ${pick(names)}`
}

const words = [
  ...[0, 1, 2, 3, 32, 64, 96, 128, 160, 192, 255, 1e6].map((number) => number.toString(16).padStart(64, '0')),
  'f'.repeat(64),
  '41'.repeat(32),
  '00'.repeat(12) + 'ab'.repeat(20),
  `c3a9${'00'.repeat(30)}`,
  `8${'0'.repeat(63)}`,
]

function drawValue(type: string): unknown {
  const array = /^(.*)\[([0-9]*)\]$/.exec(type)
  if (array !== null) {
    const length = array[2] === '' ? draw(3) : Number(array[2])
    return Array.from({ length }, () => drawValue(array[1] ?? ''))
  }
  if (type.startsWith('(')) return type.slice(1, -1).split(',').map(drawValue)
  if (type === 'bool') return draw(2) === 1
  if (type === 'string') return pick(['', 'text', 'é "quoted" \\ \n', '😀', 'x'.repeat(40)])
  if (type === 'address') return `0x${'5a'.repeat(19)}${draw(256).toString(16).padStart(2, '0')}`
  if (type === 'bytes') return `0x${'ab'.repeat(draw(40))}`
  const [, bytes] = /^bytes([0-9]+)$/.exec(type) ?? []
  if (bytes !== undefined) return `0x${'cd'.repeat(Number(bytes))}`
  const bits = Number(/[0-9]+$/.exec(type)?.[0] ?? 256)
  const most = 2n ** BigInt(type.startsWith('int') ? bits - 1 : bits) - 1n
  return pick([0n, 1n, most, most / 3n, type.startsWith('int') ? -most : 7n]).toString()
}

function drawPayload(encoder: Encoder | null): string {
  if (encoder !== null && draw(2) === 0) {
    try {
      const values = encoder.schema.map(({ type }) => drawValue(type))
      return defaultAbiCoder.encode(
        encoder.schema.map(({ signature }) => signature),
        values,
      )
    } catch {
      // A schema of a form that ethers does not encode.
    }
  }
  const odd = draw(20) === 0 ? 'ab' : ''
  return `0x${Array.from({ length: draw(10) }, () => pick(words)).join('')}${odd}`
}

const vectors: { schema: string; data: string; json: string }[] = []
for (let filled = 0; filled < 250 || vectors.length < 400;) {
  const parameters = Array.from({ length: draw(4) }, drawParameter)
  const schema = `${pick(spaces)}${parameters.join(`${pick(spaces)},${pick(spaces)}`)}${pick(['', '', '', ',', ' '])}`
  let json = ''
  let encoder: Encoder | null = null
  let data = '0x'
  try {
    encoder = new SchemaEncoder(schema)
    data = drawPayload(encoder)
    json = JSON.stringify(encoder.decodeData(data))
  } catch {
    if (encoder === null) data = drawPayload(null)
  }
  if (json === '' && vectors.length - filled >= 150) continue
  if (json !== '') filled += 1
  vectors.push({ schema, data, json })
}
writeFileSync(
  new URL('decodedDataVectors.json', import.meta.url),
  `[\n${vectors.map((vector) => JSON.stringify(vector)).join(',\n')}\n]\n`,
)
