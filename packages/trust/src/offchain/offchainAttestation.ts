import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { localIdOfUid, parseLocalId, type ChainId } from '@attestry/core/model/compositeId.ts'
import { noBytes, parseHash, parseHex, zeroHash } from '@attestry/core/model/hex.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { OffchainAttestation } from '@attestry/server/records/offchainRecords.ts'
import type { StoredOffchain } from '../offchainStore/offchainStore.ts'
import { findOffchainStatus } from './presentOffchain.ts'

/** An attestation of EAS from the store in the form of one of the index. */
export interface IndexedOffchain extends OffchainAttestation {
  readonly offchain: StoredOffchain
}

/** @param chainId that of the entry. */
export async function readAsIndexed(
  reader: PastReader,
  chainId: ChainId,
  entry: StoredOffchain,
): Promise<IndexedOffchain> {
  const { body, localId, madeAt, storedAt, schemaId, signer } = entry
  const { revocation } = await findOffchainStatus(reader, entry)
  const schema = parseLocalId(schemaId?.slice(schemaId.lastIndexOf('_') + 1) ?? '')
  const linked = parseHash(body.linked)
  return {
    offchain: entry,
    key: { chainId, protocol: 'eas', localId: localIdOfUid(parseHash(localId) ?? zeroHash) },
    schemaId: schema ?? localIdOfUid(zeroHash),
    attester: checksumAddress(signer),
    attestTimestamp: madeAt,
    recipientsJson: JSON.stringify(body.recipients),
    detail: {
      transactionHash: '',
      indexingValueJson: '""',
      linkedAttestation: linked && localIdOfUid(linked),
      validUntil: body.validUntil,
      data: parseHex(body.payload) ?? noBytes,
      dataLocation: 'ONCHAIN',
    },
    revocation:
      revocation === null
        ? null
        : { timestamp: String(revocation.timestamp), reason: revocation.reason, transactionHash: '' },
    revocable: body.revocable,
    portal: null,
    portalBody: null,
    transactionSender: null,
    syncAt: storedAt,
    lastSyncAt: null,
    schema: null,
  }
}
