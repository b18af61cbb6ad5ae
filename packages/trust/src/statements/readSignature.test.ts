import { beforeAll, describe, expect, test } from 'vitest'
import { unixSeconds } from '@attestry/core/model/time.ts'
import { checkOffchain } from './checkOffchain.ts'
import { readOffchain } from './readOffchain.ts'
import { signer, signWithSdk } from './testing/sdkVectors.ts'

interface Parts {
  readonly r: string
  readonly s: string
  readonly v: number
}

/** Signatures of one envelope, with `r` that begins with a zero, so that short forms are shorter. */
let envelope: {
  readonly sig: {
    readonly domain: object
    readonly types: Record<string, { name: string; type: string }[]>
    readonly message: Record<string, unknown>
    readonly uid?: string
  }
  readonly signer: string
}
let parts: Parts | undefined

beforeAll(async () => {
  const made = JSON.parse(await signWithSdk()) as typeof envelope
  const { domain, types, message } = made.sig
  for (let time = 1_700_000_000; parts === undefined || !parts.r.startsWith('0x0'); time++) {
    envelope = { ...made, sig: { ...made.sig, message: { ...message, time } } }
    const hex = await signer.signTypedData(domain, types, envelope.sig.message)
    parts = { r: hex.slice(0, 66), s: `0x${hex.slice(66, 130)}`, v: Number(`0x${hex.slice(130)}`) }
  }
  // The uid of the changed message follows from it.
  envelope = { ...envelope, sig: { ...envelope.sig, uid: undefined as never } }
})

function partsOf(): Parts {
  if (parts === undefined) throw new TypeError('nothing is signed yet')
  return parts
}

/** The checks that fail of the envelope with another `sig`, or the reason why it cannot be read. */
async function failures(text: string): Promise<readonly string[] | string> {
  const read = await readOffchain(text)
  if (read.kind === 'unreadable') return read.reason
  const checks = await checkOffchain(read.record, { now: unixSeconds(1_800_000_000) })
  return checks.filter(({ ok }) => !ok).map(({ name }) => name)
}

const withSignature = (signature: unknown): string =>
  JSON.stringify({ ...envelope, sig: { ...envelope.sig, signature } })

const decimal = (hex: string) => BigInt(hex).toString()
const short = (hex: string) => `0x${BigInt(hex).toString(16)}`
const bytes = (hex: string) => Buffer.from(hex.slice(2), 'hex')
const whole = ({ r, s, v }: Parts) => `${r}${s.slice(2)}${v.toString(16).padStart(2, '0')}`
const parity = ({ v }: Parts) => v - 27
/** `s` with the parity of `y` in its highest bit. */
const packed = (given: Parts) =>
  `0x${(BigInt(given.s) | (BigInt(parity(given)) << 255n)).toString(16).padStart(64, '0')}`
const pythonBytes = (hex: string) =>
  `b'${[...bytes(hex)].map((each) => `\\x${each.toString(16).padStart(2, '0')}`).join('')}'`

const forms: readonly (readonly [name: string, form: (given: Parts) => unknown])[] = [
  [
    'ethers 5',
    (given) => ({ ...given, _vs: packed(given), recoveryParam: parity(given), yParityAndS: packed(given) }),
  ],
  ['ethers 6', ({ r, s, v }) => ({ _type: 'signature', networkV: null, r, s, v })],
  ['viem', (given) => ({ r: given.r, s: given.s, v: String(given.v), yParity: parity(given) })],
  ['viem, compact', (given) => ({ r: given.r, yParityAndS: packed(given) })],
  ['viem, compact bytes', (given) => given.r + packed(given).slice(2)],
  ['bytes in hexadecimal digits', whole],
  ['bytes with v 0 or 1, as go-ethereum signs', (given) => `${whole(given).slice(0, -2)}0${parity(given)}`],
  ['bytes in base64, as Go writes them', (given) => bytes(whole(given)).toString('base64')],
  ['bytes in a list, as Go and Rust write arrays', (given) => [...bytes(whole(given))]],
  ['a Buffer', (given) => bytes(whole(given))],
  ['a Uint8Array', (given) => new Uint8Array(bytes(whole(given)))],
  ['bytes without 0x, as Python writes them', (given) => whole(given).slice(2)],
  ['HexBytes of Python', (given) => `HexBytes('${whole(given)}')`],
  ['bytes of Python', (given) => pythonBytes(whole(given))],
  [
    'web3.js',
    (given) => ({
      message: 'x',
      messageHash: '0x',
      r: short(given.r),
      s: short(given.s),
      v: `0x${given.v.toString(16)}`,
      signature: whole(given),
    }),
  ],
  ['web3.py, with digits', ({ r, s, v }) => ({ r: decimal(r), s: decimal(s), v })],
  ['Python, without 0x and zeros', ({ r, s, v }) => ({ r: short(r).slice(2), s: short(s).slice(2), v })],
  [
    'alloy',
    (given) => ({
      r: short(given.r),
      s: short(given.s),
      yParity: `0x${parity(given)}`,
      v: `0x${parity(given)}`,
    }),
  ],
  ['Rust, with a truth value', (given) => ({ r: given.r, s: given.s, odd_y_parity: parity(given) === 1 })],
  ['noble', (given) => ({ r: decimal(given.r), s: `${decimal(given.s)}n`, recovery: parity(given) })],
  ['libsecp256k1', (given) => ({ r: [...bytes(given.r)], s: bytes(given.s), recid: parity(given) })],
  [
    'BigNumber of ethers 5',
    ({ r, s, v }) => ({
      r: { type: 'BigNumber', hex: short(r) },
      s: { _hex: short(s), _isBigNumber: true },
      v,
    }),
  ],
  ['v as in EIP-155', (given) => ({ r: given.r, s: given.s, v: 35 + 2 * 11_155_111 + parity(given) })],
  ['bytes in a member', (given) => ({ signature: whole(given) })],
]

describe('one signature is read', () => {
  test.each(forms)('in the form of %s', async (_name, form) => {
    expect(await failures(withSignature(form(partsOf())))).toEqual([])
  })

  test('with numbers that JSON has no room for, as Python and Go write them', async () => {
    const text = withSignature({ r: 'R', s: 'S', v: partsOf().v })
    expect(
      await failures(text.replace('"R"', decimal(partsOf().r)).replace('"S"', decimal(partsOf().s))),
    ).toEqual([])
  })

  test('in the forms of the message', async () => {
    const { sig } = envelope
    const { message } = sig
    const bigNumber = (value: unknown) => ({
      type: 'BigNumber',
      hex: `0x${BigInt(String(value)).toString(16)}`,
    })
    const changed = {
      ...message,
      time: bigNumber(message['time']),
      expirationTime: `${String(message['expirationTime'])}n`,
      refUID: String(message['refUID']).slice(2),
      data: [...bytes(String(message['data']))],
    }
    const signature = whole(partsOf())
    expect(
      await failures(
        JSON.stringify({ ...envelope, sig: { ...sig, message: changed, signature, uid: undefined } }),
      ),
    ).toEqual([])
  })
})

describe('a signature that can be read in two ways is refused', () => {
  test.each<readonly [form: (given: Parts) => unknown, reason: RegExp]>([
    [({ s, v }) => ({ r: '1'.repeat(64), s, v }), /^sig\.signature\.r may be decimal or hexadecimal/],
    [
      (given) => ({ ...given, yParity: 1 - parity(given) }),
      /^sig\.signature\.v and sig\.signature\.yParity contradict/,
    ],
    [(given) => ({ r: given.r, s: given.s, yParity: 2 }), /^sig\.signature\.yParity is neither 0 nor 1$/],
    [({ r, s }) => ({ r, s }), /^sig\.signature\.v is missing$/],
    [({ s, v }) => ({ r: '0xzz', s, v }), /^sig\.signature\.r is no uint256$/],
    [({ s, v }) => ({ r: `0x1${'0'.repeat(64)}`, s, v }), /^sig\.signature\.r is no uint256$/],
  ])('%#', async (form, reason) => {
    expect(await failures(withSignature(form(partsOf())))).toMatch(reason)
  })
})
