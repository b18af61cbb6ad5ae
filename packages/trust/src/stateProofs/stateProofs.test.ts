import { describe, expect, test } from 'vitest'
import { formatCompositeId, type LocalId } from '@attestry/core/model/compositeId.ts'
import { parseAddress, zeroAddress, type Address, type Hash, type Hex } from '@attestry/core/model/hex.ts'
import { encodeHeader } from '../proofs/encodeHeader.ts'
import { hashBytes } from '../proofs/hashBytes.ts'
import { readProofAnswer, stateBlockOf, type ProofSubject, type WantedState } from './buildStateProof.ts'
import { checkStateProof } from './checkStateProof.ts'
import { feedbackId, layoutProtocols, layoutSlots } from './layouts.ts'
import { parseStateProof } from './parseStateProof.ts'
import { implementationSlot, indexSlots } from './readClaim.ts'
import type { Claim, LayoutName, StateProof } from './stateProof.ts'
import { takeStateProof } from './takeStateProof.ts'
import { putClients, putFeedback, putRecord, someWord, type MadeRecord } from './testing/madeRecords.ts'
import { makeState, type MadeAccount, type MadeState, type MadeStorage } from './testing/madeState.ts'
import { verifyStateProof } from './verifyStateProof.ts'
import { mapSlot, namespaceSlot, slotAfter, wordOf } from './words.ts'

const addressOf = (byte: string): Address => parseAddress(`0x${byte.repeat(20)}`) ?? zeroAddress
const contract = addressOf('11')
const [attester, recipient, other] = [addressOf('a1'), addressOf('b2'), addressOf('c3')]
const uid = someWord('5a')
const idOf = (localId: string) => formatCompositeId({ chainId: 10, localId: localId as LocalId })

/** The answers of a state to the questions of a prover, with what was asked. */
async function take(
  state: MadeState,
  subjects: readonly ProofSubject[],
  implementation: Address | null = null,
) {
  const headerRlp = encodeHeader(state.block)
  const block = headerRlp === null ? null : stateBlockOf(headerRlp)
  if (block === null) throw new Error('the made block has no header')
  const asked: (readonly WantedState[])[] = []
  const taken = await takeStateProof(subjects, {
    block,
    ask: (wanted) => {
      asked.push(wanted)
      return Promise.all(wanted.map((each) => state.prove(each)))
    },
    implementationOf: () => implementation,
  })
  return { taken, asked }
}

async function takeProof(state: MadeState, subjects: readonly ProofSubject[]): Promise<StateProof> {
  const { taken } = await take(state, subjects)
  if (taken.kind !== 'proof') throw new Error(JSON.stringify(taken))
  return taken.proof
}

const subjectOf = (layout: LayoutName, claim: Claim, at = contract): ProofSubject => ({
  chainId: 10,
  protocol: layoutProtocols[layout],
  place: { contract: at, layout },
  claim,
})

/** A claim in every layout of a protocol. */
const everywhere = (protocol: string, claim: Claim) =>
  (Object.keys(layoutProtocols) as LayoutName[])
    .filter((layout) => layoutProtocols[layout] === protocol)
    .map((layout) => subjectOf(layout, claim))

const record: MadeRecord = { id: uid, schema: someWord('77'), attester, recipient }
const signRecord: MadeRecord = { ...record, id: wordOf(26n), schema: wordOf(3n) }

function storageOf(layout: Exclude<LayoutName, 'erc8004'>, made: MadeRecord): MadeStorage {
  const storage: MadeStorage = new Map()
  putRecord(storage, layout, made)
  return storage
}

const attestationOf = (localId: string): Claim => ({ kind: 'attestation', id: idOf(localId) })

describe('a record', () => {
  const cases: readonly (readonly [Exclude<LayoutName, 'erc8004'>, MadeRecord, string])[] = [
    ['eas-0.26', record, uid],
    ['eas-1.2', record, uid],
    ['eas-predeploy', record, uid],
    ['sign-1.1', signRecord, '0x1a'],
    ['sign-1.0', signRecord, '0x1a'],
    ['verax', record, uid],
  ]

  test.each(cases)('of %s is found in its layout, and proven whole', async (layout, made, localId) => {
    const data = '0x0102' as Hex
    const storage = storageOf(layout, { ...made, expiresAt: 1_900_000_000n, revokedAt: 1_800_000_000n, data })
    const claims = everywhere(layoutProtocols[layout], attestationOf(localId))
    const proof = await takeProof(await makeState([{ address: contract, storage }]), claims)
    expect(proof.layout).toMatchObject({ name: layout, contract })
    expect(proof.says).toEqual({
      exists: true,
      revoked: true,
      revokedAt: layout === 'sign-1.0' ? null : 1_800_000_000,
      expiresAt: 1_900_000_000,
      dataHash: hashBytes(data),
      schemaId: layoutProtocols[layout] === 'sign' ? '0x3' : made.schema,
      attester,
      recipients: [recipient],
    })
    expect(proof.contracts).toEqual([
      { address: contract, codeHash: hashBytes('0x6000' as Hex), implementation: null },
    ])
    expect(parseStateProof(JSON.stringify(proof))).toEqual({ kind: 'proof', proof })
  })

  test.each([0, 31, 32, 33, 5_000, 24_576])('has the hash of a payload of %i bytes', async (length) => {
    const data =
      `0x${Array.from({ length }, (_, index) => (index % 251).toString(16).padStart(2, '0')).join('')}` as Hex
    const storage = storageOf('eas-1.2', { ...record, data })
    const state = await makeState([{ address: contract, storage }])
    const subject = { ...subjectOf('eas-1.2', attestationOf(uid)), hints: { dataBytes: length } }
    const { taken, asked } = await take(state, [subject])
    expect(taken).toMatchObject({
      kind: 'proof',
      proof: { says: { dataHash: hashBytes(data), revoked: false } },
    })
    expect(asked).toHaveLength(1)
  })

  test('has no hash of a payload that is too long, whose words are not proven', async () => {
    const data = `0x${'ab'.repeat(24_577)}` as Hex
    const storage = storageOf('eas-1.2', { ...record, data })
    const subject = { ...subjectOf('eas-1.2', attestationOf(uid)), hints: { dataBytes: 24_577 } }
    const proof = await takeProof(await makeState([{ address: contract, storage }]), [subject])
    expect(proof.says).toMatchObject({ dataHash: null })
    expect(proof.accounts[0]?.storageProof).toHaveLength(7)
  })

  test('says the same whether a zero is a leaf or no leaf', async () => {
    const storage = storageOf('eas-1.2', record)
    const times = slotAfter(mapSlot(uid, layoutSlots['eas-1.2'].attestations), 4)
    for (const form of ['deleted', 'leaf'] as const) {
      const changed = new Map(storage)
      if (form === 'leaf') changed.set(times, 0n)
      else changed.delete(times)
      const proof = await takeProof(await makeState([{ address: contract, storage: changed }]), [
        subjectOf('eas-1.2', attestationOf(uid)),
      ])
      expect(proof.says).toMatchObject({ recipients: [zeroAddress] })
      expect(checkStateProof(proof)).toEqual({ kind: 'valid' })
    }
  })

  test('of a proxy is proven with the code of its implementation, in one question if that is known', async () => {
    const implementation = addressOf('ee')
    const storage = storageOf('eas-predeploy', record)
    storage.set(implementationSlot, BigInt(implementation))
    const accounts: MadeAccount[] = [
      { address: contract, storage },
      { address: implementation, code: '0x6001', storage: new Map() },
    ]
    const claims = everywhere('eas', attestationOf(uid))
    const first = await take(await makeState(accounts), claims)
    expect(first.asked).toHaveLength(2)
    const { taken, asked } = await take(await makeState(accounts), claims, implementation)
    expect(taken).toEqual(first.taken)
    expect(asked).toHaveLength(1)
    expect(taken).toMatchObject({
      proof: {
        contracts: [{ implementation: { address: implementation, codeHash: hashBytes('0x6001' as Hex) } }],
      },
    })
    const upgraded = [...accounts, { address: other, code: '0x6002', storage: new Map() }]
    storage.set(implementationSlot, BigInt(other))
    const later = await take(await makeState(upgraded, 78), claims, implementation)
    expect(later.taken).toMatchObject({ proof: { contracts: [{ implementation: { address: other } }] } })
    expect(later.asked).toHaveLength(2)
  })

  test('is not proven where no layout fits', async () => {
    const storage: MadeStorage = new Map([[wordOf(9n), 1n]])
    for (const account of [
      { address: contract, storage },
      { address: other, storage },
    ]) {
      const { taken } = await take(await makeState([account]), everywhere('eas', attestationOf(uid)))
      expect(taken.kind).toBe('unfit')
    }
  })
})

describe('feedback', () => {
  test('is proven with the index of the last one', async () => {
    const storage: MadeStorage = new Map()
    putFeedback(storage, '22', other, [
      { value: 0n, decimals: 0 },
      { value: -5n, decimals: 1, revoked: true },
    ])
    const state = await makeState([{ address: contract, storage }])
    const claimOf = (index: string): Claim => {
      const feedback = { agentId: '22', client: other, index }
      return { kind: 'attestation', id: idOf(feedbackId(feedback)), feedback }
    }
    const says = async (index: string) =>
      (await takeProof(state, [subjectOf('erc8004', claimOf(index))])).says
    expect(await says('1')).toMatchObject({ exists: true, revoked: false, attester: other })
    expect(await says('2')).toMatchObject({ exists: true, revoked: true })
    expect((await take(state, [subjectOf('erc8004', claimOf('3'))])).taken.kind).toBe('unfit')
  })

  test('of an agent is complete, and none is shown by the feedback of another agent', async () => {
    const storage: MadeStorage = new Map()
    const clients = [recipient, other]
    putClients(storage, '22', clients)
    putFeedback(storage, '22', recipient, [{ value: 10n ** 30n, decimals: 18 }])
    putFeedback(storage, '22', other, [
      { value: -5n, decimals: 1, revoked: true },
      { value: 7n, decimals: 0 },
    ])
    const state = await makeState([{ address: contract, storage }])
    const claim = { kind: 'reputation', agentId: '22', client: null, witness: null } as const
    const { says } = await takeProof(state, [subjectOf('erc8004', claim)])
    expect(says).toEqual({
      clients: [
        {
          client: recipient,
          feedback: [{ index: '1', value: String(10n ** 30n), decimals: 18, revoked: false }],
        },
        {
          client: other,
          feedback: [
            { index: '1', value: '-5', decimals: 1, revoked: true },
            { index: '2', value: '7', decimals: 0, revoked: false },
          ],
        },
      ],
      count: 3,
      revoked: 1,
    })
    expect((await takeProof(state, [subjectOf('erc8004', { ...claim, client: other })])).says).toMatchObject({
      count: 2,
    })
    const none = { ...claim, agentId: '23' }
    expect((await take(state, [subjectOf('erc8004', none)])).taken.kind).toBe('unfit')
    const witness = { agentId: '22', client: other }
    expect((await takeProof(state, [subjectOf('erc8004', { ...none, witness })])).says).toEqual({
      clients: [],
      count: 0,
      revoked: 0,
    })
  })
})

describe('an anchor', () => {
  test('is proven both ways, beside a record that shows the layout', async () => {
    const { offchainRevocations, timestamps } = layoutSlots['eas-0.26']
    const anchored = someWord('66')
    const storage = storageOf('eas-0.26', record)
    storage.set(mapSlot(anchored, mapSlot(attester, offchainRevocations)), 1_800_000_000n)
    storage.set(mapSlot(anchored, timestamps), 1_700_000_000n)
    const state = await makeState([{ address: contract, storage }])
    const claim = { kind: 'anchor', account: attester, uid: anchored, witness: idOf(uid) } as const
    expect((await takeProof(state, everywhere('eas', claim))).says).toEqual({
      revoked: true,
      revokedAt: 1_800_000_000,
      timestampedAt: 1_700_000_000,
    })
    const proof = await takeProof(state, everywhere('eas', { ...claim, account: other }))
    expect(proof).toMatchObject({ layout: { name: 'eas-0.26' }, says: { revoked: false, revokedAt: null } })
    // In a wrong layout, everything would be zero.
    const without = { ...claim, witness: idOf(someWord('99')) }
    expect((await take(state, everywhere('eas', without))).taken.kind).toBe('unfit')
  })
})

describe('a counter', () => {
  test.each([
    ['sign', 'sign-1.1', signRecord, null, { attestations: '26', lastId: '0x1a' }],
    ['sign', 'sign-1.0', signRecord, null, { attestations: null, lastId: '0x1a' }],
    ['verax', 'verax', { ...record, id: wordOf(7n) }, wordOf(7n), { attestations: '7', lastId: null }],
  ] as const)('of %s is read in the layout %s', async (protocol, layout, made, witness, says) => {
    const state = await makeState([{ address: contract, storage: storageOf(layout, made) }])
    const claim = { kind: 'count', witness: witness === null ? null : idOf(witness) } as const
    expect(await takeProof(state, everywhere(protocol, claim))).toMatchObject({
      layout: { name: layout },
      says,
    })
  })
})

describe('a holder', () => {
  const [issuer, schema] = [addressOf('1d'), record.schema]
  const claim = {
    kind: 'holder',
    address: recipient,
    schemaId: schema,
    attester,
    attestation: null,
    index: { name: 'coinbase', contract: issuer },
    witness: null,
  } as const
  const entry = (of: Address, name: 'coinbase' | 'passport' = 'coinbase') =>
    mapSlot(schema, mapSlot(of, indexSlots[name]))

  const prove = async (index: MadeStorage, wanted: Claim, made: MadeRecord = record) => {
    const accounts = [
      { address: contract, storage: storageOf('eas-1.2', made) },
      { address: issuer, storage: index },
    ]
    return (await take(await makeState(accounts), everywhere('eas', wanted))).taken
  }

  test.each(['coinbase', 'passport'] as const)(
    'is proven by the index of its issuer and the record that the index names: %s',
    async (name) => {
      const asked = { ...claim, index: { ...claim.index, name } } as const
      const index = new Map([[entry(recipient, name), BigInt(uid)]])
      expect(await prove(index, asked)).toMatchObject({
        proof: {
          says: { holds: true, attestation: uid },
          contracts: [{ address: issuer }, { address: contract }],
        },
      })
      const revoked = { ...record, revokedAt: 5n }
      expect(await prove(index, asked, revoked)).toMatchObject({
        proof: { says: { holds: false, attestation: null } },
      })
      const expired = { ...record, expiresAt: 5n }
      expect(await prove(index, asked, expired)).toMatchObject({ proof: { says: { holds: false } } })
    },
  )

  test('is proven not to be one only beside an entry that shows the layout of the index', async () => {
    const index = new Map([[entry(recipient), BigInt(uid)]])
    const none = { ...claim, address: other }
    expect(await prove(index, none)).toMatchObject({ kind: 'unfit' })
    const witness = { address: recipient, attestation: uid }
    expect(await prove(index, { ...none, witness })).toMatchObject({ proof: { says: { holds: false } } })
  })

  test('is not decided by the index of another attester', async () => {
    const index = new Map([[entry(recipient), BigInt(uid)]])
    const made = { ...record, attester: other }
    const reason: unknown = expect.stringMatching(/not of the schema, attester and recipient/)
    const unfit = { kind: 'unfit', reasons: expect.arrayContaining([reason]) as unknown }
    expect(await prove(index, claim, made)).toMatchObject(unfit)
    const witness = { address: recipient, attestation: uid }
    expect(await prove(index, { ...claim, address: other, witness }, made)).toMatchObject(unfit)
  })

  test('needs trust in the index and in the contract of the records', async () => {
    const taken = await prove(new Map([[entry(recipient), BigInt(uid)]]), claim)
    const { proof } = taken as { proof: StateProof }
    const verify = (...trusted: readonly Address[]) =>
      verifyStateProof(proof, { blockHash: proof.block.hash, contract: trusted })
    expect(verify(issuer, contract)).toMatchObject({ valid: true })
    const reason = `the proof depends on another contract: ${contract}, not ${issuer}`
    expect(verify(issuer)).toEqual({ valid: false, reason })
  })

  test('is not proven by an empty list of EAS’s Indexer, which nobody has to fill', async () => {
    const list = (of: Address) => mapSlot(schema, mapSlot(of, indexSlots['eas-indexer']))
    const index = new Map([
      [list(recipient), 1n],
      [hashBytes(list(recipient)), BigInt(uid)],
    ])
    const indexer = { ...claim, index: { name: 'eas-indexer', contract: issuer } } as const
    expect(await prove(index, indexer)).toMatchObject({ proof: { says: { holds: true } } })
    const witness = { address: recipient, attestation: uid }
    expect(await prove(index, { ...indexer, address: other, witness })).toMatchObject({
      proof: { says: { holds: null } },
    })
  })

  test('is proven by a record that the claim names, if it is valid', async () => {
    const named = { ...claim, index: null, attestation: idOf(uid) }
    expect(await prove(new Map(), named)).toMatchObject({ proof: { says: { holds: true } } })
    expect(await prove(new Map(), { ...named, address: other })).toMatchObject({ kind: 'unfit' })
  })
})

describe('a damaged proof', () => {
  const accounts = (made: MadeRecord): MadeAccount[] => {
    const storage = storageOf('eas-1.2', { ...made, data: `0x${'0c'.repeat(40)}` as Hex })
    for (let index = 0; index < 30; index++) storage.set(wordOf(BigInt(1_000 + index)), 5n)
    return [{ address: contract, storage }]
  }
  const subject = subjectOf('eas-1.2', attestationOf(uid))
  const whole = async (made = record, number = 77) =>
    await takeProof(await makeState(accounts(made), number), [subject])

  const reasonOf = (proof: unknown): string => {
    const parsed = parseStateProof(JSON.stringify(proof))
    if (parsed.kind === 'none') return parsed.reason
    const check = checkStateProof(parsed.proof)
    return check.kind === 'valid' ? 'valid' : check.reason
  }

  test('is refused whichever byte of whichever node is another', async () => {
    const proof = await whole()
    const text = JSON.stringify(proof)
    const nodes = new Set(
      proof.accounts
        .flatMap((each) => [each.accountProof, ...each.storageProof.map(({ proof: p }) => p)])
        .flat(),
    )
    expect(nodes.size).toBeGreaterThan(9)
    for (const node of [...nodes, proof.block.headerRlp]) {
      for (let at = 2; at < node.length; at += 2) {
        const byte = (Number.parseInt(node.slice(at, at + 2), 16) ^ 1).toString(16).padStart(2, '0')
        const changed = JSON.parse(
          text.replaceAll(node, node.slice(0, at) + byte + node.slice(at + 2)),
        ) as unknown
        expect(reasonOf(changed)).not.toBe('valid')
      }
    }
  })

  const words = 'accounts.0.storageProof'
  const asList = (value: unknown) => (Array.isArray(value) ? (value as unknown[]) : [])
  const twice = (value: unknown) => [...asList(value), ...asList(value).slice(0, 1)]
  const shorter = (value: unknown) => asList(value).slice(0, -1)
  const swapped = (member: string) => (value: unknown) => {
    const [one, two, ...rest] = asList(value) as Record<string, unknown>[]
    return [{ ...one, [member]: two?.[member] }, { ...two, [member]: one?.[member] }, ...rest]
  }
  const always = (value: unknown) => () => value

  test.each<readonly [string, string, (value: unknown) => unknown, RegExp]>([
    ['slots that are swapped', words, swapped('value'), /holds 0x/],
    ['paths that are swapped', words, swapped('proof'), /not on the path|holds/],
    ['a node more', 'accounts.0.accountProof', twice, /not on the path/],
    ['a node less', 'accounts.0.accountProof', shorter, /ends before its path does/],
    ['another code hash', 'accounts.0.codeHash', always(someWord('01')), /the code hash of/],
    ['another code', 'contracts.0.codeHash', always(someWord('01')), /contracts is not/],
    ['a slot less', words, shorter, /is not proven/],
    ['a slot twice', words, twice, /is proven twice/],
    ['an account twice', 'accounts', twice, /is proven twice/],
    ['no account', 'accounts', always([]), /is not proven/],
    ['another answer', 'says.revoked', always(true), /says is not what the state gives/],
    ['another record', 'claim.id', always(idOf(someWord('01'))), /is not proven/],
    ['another chain', 'chainId', always('1'), /is not the id of a record on chain 1/],
    ['another layout', 'layout.name', always('eas-0.26'), /is not proven/],
    ['another protocol', 'protocol', always('verax'), /is not one of the protocol verax/],
    ['another contract', 'layout.contract', always(other), /is not proven/],
    ['other slots', 'layout.slots.attestations', always(wordOf(1n)), /layout.slots is not/],
    ['another time', 'block.timestamp', always(1), /block.timestamp is/],
    ['a member more', 'more', always(true), /a member more in the proof that no proof has/],
    ['a zero in another form', `${words}.0.value`, always('0x'), /has no 32 bytes/],
  ])('with %s is refused, and told why', async (_name, path, edit, reason) => {
    expect(reasonOf(edited(await whole(), path.split('.'), edit))).toMatch(reason)
  })

  test('is refused if its parts are of two blocks, or of two contracts', async () => {
    const [older, newer] = [await whole(record, 76), await whole({ ...record, revokedAt: 9n })]
    expect(reasonOf({ ...newer, block: older.block })).toMatch(
      /the account proof of .* is not|not on the path|ends before/,
    )
    expect(reasonOf({ ...newer, accounts: older.accounts })).not.toBe('valid')
    expect(reasonOf({ ...newer, says: older.says })).toMatch(/says is not what the state gives/)
  })

  test('is refused where an extra slot is proven that says nothing of the claim', async () => {
    const state = await makeState(accounts(record))
    const key = wordOf(1_001n)
    const answer = await state.prove({ account: contract, slots: [key] })
    const read = readProofAnswer(
      answer,
      { account: contract, slots: [key] },
      String(state.block['stateRoot']) as Hash,
    )
    const word = typeof read === 'string' ? read : read.words.get(key)
    const proof = edited(await takeProof(state, [subject]), words.split('.'), (list) => [
      ...asList(list),
      word,
    ])
    expect(reasonOf(proof)).toMatch(/is proven, but says nothing of the claim/)
  })
})

/** The value with the part at a path changed. */
function edited(value: unknown, path: readonly string[], edit: (value: unknown) => unknown): unknown {
  const [name, ...rest] = path
  if (name === undefined) return edit(value)
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value
    return items.map((item, index) => (String(index) === name ? edited(item, rest, edit) : item))
  }
  const members = value as Readonly<Record<string, unknown>>
  return { ...members, [name]: edited(members[name], rest, edit) }
}

test('an answer of another block proves nothing', async () => {
  const storage = storageOf('eas-1.2', record)
  const asked = await makeState([{ address: contract, storage }])
  const answered = await makeState(
    [{ address: contract, storage: storageOf('eas-1.2', { ...record, revokedAt: 5n }) }],
    78,
  )
  const { taken } = await take({ ...asked, prove: answered.prove }, [
    subjectOf('eas-1.2', attestationOf(uid)),
  ])
  expect(taken).toEqual({
    kind: 'unproven',
    reason: 'is not of the state of the block: its account proof does not begin at the root',
  })
})

test('namespaces have the bases that their contracts use', () => {
  expect(namespaceSlot('ethsign.SP')).toBe(
    '0x9f5ee6fb062129ebe4f4f93ab4866ee289599fbb940712219d796d503e3bd400',
  )
  expect(layoutSlots.erc8004.feedback).toMatch(/^0xa03d7693.{52}8300$/)
  const hash = BigInt(hashBytes(`0x${Buffer.from('eip1967.proxy.implementation').toString('hex')}` as Hex))
  expect(implementationSlot).toBe(wordOf(hash - 1n))
})
