import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { parseCompositeId } from '@attestry/core/model/compositeId.ts'
import type { Claim, IndexName, RecordSays, StateProof, StateTime } from './stateProof.ts'

/** The statement of a valid proof, as one sentence without its full stop. */
export function sayOf(proof: StateProof): string {
  const { claim, chainId, says } = proof
  const where = `on chain ${chainId}`
  switch (claim.kind) {
    case 'attestation':
      return `attestation ${localIdOf(claim.id)} ${where} ${describeRecord(says as RecordSays)}`
    case 'anchor': {
      const { revoked, revokedAt, timestampedAt } = says as Extract<
        StateProof['says'],
        { timestampedAt: unknown }
      >
      const anchored =
        timestampedAt === null ? 'not timestamped' : `timestamped at ${formatTime(timestampedAt)}`
      const who = checksumAddress(claim.account)
      return `${who} has ${revoked ? `revoked ${claim.uid} at ${formatTime(revokedAt)}` : `not revoked ${claim.uid}`} ${where}, which is ${anchored}`
    }
    case 'count': {
      const { attestations, lastId } = says as Extract<StateProof['says'], { lastId: unknown }>
      if (attestations === null)
        return `the newest attestation of ${proof.protocol} ${where} is ${lastId ?? 'none'}`
      return `${attestations} attestations of ${proof.protocol} were made ${where}`
    }
    case 'reputation': {
      const { count, revoked } = says as Extract<StateProof['says'], { clients: unknown }>
      const by = claim.client === null ? '' : ` of ${checksumAddress(claim.client)}`
      return `agent ${claim.agentId} ${where} has ${count} feedbacks${by}, of which ${revoked} are revoked, and no other`
    }
    case 'holder': {
      const { holds, attestation } = says as Extract<StateProof['says'], { holds: unknown }>
      const what = `a valid attestation of ${checksumAddress(claim.attester)} under schema ${claim.schemaId} ${where}`
      const who = checksumAddress(claim.address)
      if (holds === true) return `${who} holds ${what}: ${attestation}`
      return holds === false
        ? `${who} does not hold ${what}`
        : `it is not proven whether ${who} holds ${what}`
    }
  }
}

function describeRecord({ revoked, revokedAt, expiresAt }: RecordSays): string {
  const when = revokedAt === null ? '' : ` at ${formatTime(revokedAt)}`
  const expiry = expiresAt === null ? 'does not expire' : `expires at ${formatTime(expiresAt)}`
  return `exists, is ${revoked ? `revoked${when}` : 'not revoked'} and ${expiry}`
}

const incomplete: Readonly<Record<IndexName, string>> = {
  coinbase:
    'that Coinbase’s index is complete: it names the attestation that Coinbase’s attester put there last',
  passport:
    'that Passport’s resolver is complete: a revocation of an older attestation empties the entry, and scores of other communities have none',
  'eas-indexer':
    'that an attestation outside of the list does not exist: nobody has to put one into EAS’s Indexer',
}

/** The questions that a valid proof leaves open. Each continues “Not proven:”. */
export function notProvenBy(proof: StateProof): readonly string[] {
  const { claim, chainId } = proof
  return [
    `that the block is part of chain ${chainId}: compare its hash with one that you trust`,
    'that the contract and its code are the ones that you trust',
    'anything after the block',
    ...openOf(claim, proof),
  ]
}

function openOf(claim: Claim, { says, layout }: StateProof): readonly string[] {
  switch (claim.kind) {
    case 'attestation': {
      const { dataHash, recipients } = says as RecordSays
      return [
        ...(dataHash === null ? ['what the payload of the attestation is'] : []),
        ...(recipients === null ? ['who its recipients are'] : []),
        ...(layout.name === 'sign-1.0' ? ['when it was revoked: the contract does not keep it'] : []),
      ]
    }
    case 'anchor':
      return ['that an account other than this one has not revoked it']
    case 'count':
      return ['what the attestations hold']
    case 'reputation':
      return ['tags, files and responses of the feedback', 'that the clients are independent of each other']
    case 'holder':
      return claim.index === null
        ? ['that no other attestation exists, such as one that says otherwise']
        : [incomplete[claim.index.name]]
  }
}

function localIdOf(id: string): string {
  const parsed = parseCompositeId(id)
  return parsed.kind === 'record' ? parsed.key.localId : id
}

function formatTime(time: StateTime | null): string {
  const date = new Date(Number(time ?? 0) * 1_000)
  if (time === null || Number.isNaN(date.getTime())) return `${time ?? 'an unknown time'}`
  return date.toISOString().replace('T', ' ').replace('.000Z', ' UTC')
}
