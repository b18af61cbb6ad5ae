import { beforeAll, describe, expect, test } from 'vitest'
import { unixSeconds } from '@attestry/core/model/time.ts'
import type { OffchainCheck } from '@attestry/core/model/offchainRecord.ts'
import { checkOffchain } from './checkOffchain.ts'
import { readOffchain } from './readOffchain.ts'
import { signAccount } from '@attestry/test/sdks/offchainSignClient.ts'
import { makeSignBodies, type SignBodies } from './testing/signBodies.ts'

type CheckName = OffchainCheck['name']

const now = unixSeconds(1_800_000_000)

let bodies: SignBodies
beforeAll(async () => {
  bodies = await makeSignBodies()
})

async function failures(text: string): Promise<readonly CheckName[]> {
  const read = await readOffchain(text)
  if (read.kind === 'unreadable') return ['format']
  const checks = await checkOffchain(read.record, { now })
  return checks.filter(({ ok }) => !ok).map(({ name }) => name)
}

/** The body with its members changed, and those of the two JSON texts in it. */
function changed(body: string, change: (parts: Parts) => void): string {
  const { message, attestation, ...rest } = JSON.parse(body) as Record<string, string>
  const parts: Parts = {
    body: rest,
    typed: JSON.parse(message ?? '') as Parts['typed'],
    stored: JSON.parse(attestation ?? '') as Parts['stored'],
  }
  change(parts)
  const { typed, stored } = parts
  return JSON.stringify({
    ...parts.body,
    message: JSON.stringify(typed),
    attestation: JSON.stringify(stored),
  })
}

interface Parts {
  readonly body: Record<string, unknown>
  readonly typed: {
    readonly domain: Record<string, unknown>
    readonly types: Record<string, { name: string; type: string }[]>
    readonly message: Record<string, unknown>
  }
  readonly stored: Record<string, unknown>
}

describe("a body of Sign Protocol's client", () => {
  test.each(['attestation', 'toAddresses', 'schema', 'revocation'] as const)('holds: %s', async (name) => {
    expect(await failures(bodies[name])).toEqual([])
  })

  test('is read with its members', async () => {
    expect(await readOffchain(bodies.attestation)).toMatchObject({
      record: {
        protocol: 'sign',
        kind: 'attestation',
        uid: null,
        signer: signAccount.address.toLowerCase(),
        domain: { chainId: null, contract: null },
        schemaId: 'SPS_1',
        recipients: ['ada@example.org'],
        time: null,
        expirationTime: '1900000000',
        linkedAttestation: null,
        payload: { kind: 'json', text: '{"name":"Ada","level":3}' },
      },
    })
  })

  test('does not hold where both texts are changed alike', async () => {
    const changes = {
      schemaId: 'SPS_2',
      linkedAttestationId: 'SPA_2',
      data: '{}',
      validUntil: 0,
      recipients: [],
      indexingValue: 'bob',
    }
    for (const [name, value] of Object.entries(changes)) {
      const text = changed(bodies.attestation, ({ typed, stored }) => {
        typed.message[name] = value
        stored[name] = value
      })
      expect(await failures(text)).toEqual(['signature'])
    }
  })

  test('is unreadable where the stored text is not the signed one, or a member is missing', async () => {
    for (const name of [
      'schemaId',
      'linkedAttestationId',
      'data',
      'validUntil',
      'recipients',
      'indexingValue',
    ]) {
      const other = changed(
        bodies.attestation,
        ({ stored }) => void (stored[name] = name === 'validUntil' ? 1 : ['x']),
      )
      expect(await failures(other)).toEqual(['format'])
      const missing = changed(bodies.attestation, ({ typed }) => void delete typed.message[name])
      expect(await failures(missing)).toEqual(['format'])
    }
    const agreed = changed(bodies.attestation, ({ stored }) => void (stored['schemaId'] = 'SPS_2'))
    expect(await readOffchain(agreed)).toEqual({
      kind: 'unreadable',
      reason: 'attestation and message, which was signed, say different things',
    })
  })

  test('does not hold for another signer, signature, domain or type', async () => {
    const other = '0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5'
    const wrong: readonly (readonly [(parts: Parts) => void, readonly CheckName[]])[] = [
      [({ body }) => void (body['publicKey'] = other), ['signature']],
      [({ body }) => void (body['signature'] = '0x1234'), ['signature']],
      [({ body }) => void (body['signType'] = 'solana'), ['format']],
      [({ typed }) => void (typed.domain['name'] = 'sign.example'), ['domain', 'signature']],
      [({ typed }) => void (typed.domain['version'] = '2'), ['domain', 'signature']],
      [({ typed }) => void (typed.types['Data'] = []), ['format']],
    ]
    for (const [change, failing] of wrong)
      expect(await failures(changed(bodies.attestation, change))).toEqual(failing)
  })

  test('may have a thousand recipients, and no more, as each takes a hash', async () => {
    const text = changed(
      bodies.attestation,
      ({ typed }) => void (typed.message['recipients'] = Array(1_001).fill('')),
    )
    expect(await readOffchain(text)).toEqual({
      kind: 'unreadable',
      reason: 'message.message.recipients has more than 1000 entries',
    })
  })
})

describe('a signature that the key of its signer did not make', () => {
  const question = async () => {
    const read = await readOffchain(
      changed(bodies.attestation, ({ body }) => void (body['signature'] = '0x1234')),
    )
    if (read.kind !== 'record') throw new TypeError(read.reason)
    return read.record
  }

  test.each([
    [
      { kind: 'signed', at: { chainId: 10, block: 7 } },
      true,
      /accepts the signature as its own \(chain 10, block 7\)\.$/,
    ],
    [{ kind: 'notSigned', at: [] }, false, /neither as a key nor as a contract\.$/],
    [
      { kind: 'notSigned', at: [{ chainId: 10, block: 7 }] },
      false,
      /nor as a contract \(chain 10, block 7\)\.$/,
    ],
    [{ kind: 'unknown', reason: 'No chain answers.' }, false, /No chain answers\./],
  ] as const)('is what the contract says: %j', async (answer, ok, message) => {
    const checks = await checkOffchain(await question(), { now, askContractSigner: async () => answer })
    expect(checks.find(({ name }) => name === 'signature')).toMatchObject({
      ok,
      message: expect.stringMatching(message),
    })
  })
})
