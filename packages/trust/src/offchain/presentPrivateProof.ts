import { parseHash, type Hash } from '@attestry/core/model/hex.ts'
import type { OffchainCheck, OffchainVerifier } from '@attestry/core/model/offchainRecord.ts'
import { detailOf } from '@attestry/core/model/recordJson.ts'
import type { UnixMilliseconds } from '@attestry/core/model/time.ts'
import type { StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import type { privateChecks } from './offchainSchemas.ts'

type Check = OffchainCheck<(typeof privateChecks)[number]>

interface Context {
  readonly offchain: OffchainVerifier
  readonly now: () => UnixMilliseconds
}

/** Checks a multiproof against the root that an attestation holds. */
export function presentPrivateProof(
  { offchain, now }: Context,
  attestation: StoredAttestation,
  sent: unknown,
) {
  const read = offchain.readPrivateProof(sent)
  const root = findRoot(attestation, offchain)
  const checks = [
    checkFormat(read),
    check('root', root !== null, [
      'The attestation holds the root of private data.',
      'The attestation is none of the EAS schema of private data, so it holds no root.',
    ]),
    check('proof', read.kind === 'proof' && root !== null && read.root === root, [
      'The values lead to the root: they are among the private data.',
      'The values do not lead to the root: they are not among the private data, or the proof was changed.',
    ]),
    checkExpiry(attestation, now()),
    check('revocation', attestation.revocation === null, [
      'The attestation is not revoked.',
      'The attestation is revoked.',
    ]),
  ]
  const valid = checks.every(({ ok }) => ok)
  return { valid, root, revealed: read.kind === 'proof' ? read.revealed : [], checks }
}

/** The root is the one value of the payload, 32 bytes. */
function findRoot({ key, schema, detail }: StoredAttestation, offchain: OffchainVerifier): Hash | null {
  if (key.protocol !== 'eas' || schema?.key.localId !== offchain.privateDataSchema) return null
  return parseHash(detailOf(detail).data)
}

function checkFormat(read: ReturnType<OffchainVerifier['readPrivateProof']>): Check {
  if (read.kind === 'unreadable') return { name: 'format', ok: false, message: `${read.reason}.` }
  const { length } = read.revealed
  return {
    name: 'format',
    ok: true,
    message: `The proof reveals ${length} ${length === 1 ? 'value' : 'values'}.`,
  }
}

function checkExpiry({ detail }: StoredAttestation, nowMs: number): Check {
  const { validUntil } = detailOf(detail)
  const isExpired = validUntil !== '0' && BigInt(validUntil) <= BigInt(Math.floor(nowMs / 1000))
  return check('expiry', !isExpired, ['The attestation has not expired.', 'The attestation has expired.'])
}

function check(name: Check['name'], ok: boolean, [yes, no]: readonly [string, string]): Check {
  return { name, ok, message: ok ? yes : no }
}
