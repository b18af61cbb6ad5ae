import {
  encodeEasSchema,
  encodePortalRegistered,
  encodeString,
  encodeStrings,
  tail,
  utf8Digits,
  word,
} from './abiWords.ts'
import type { SimulatedChain } from './simulatedChain.ts'
import type { TrueAnchor, TrueEvent } from './trueRecords.ts'

/** The members of a simulated log, without its place. */
export interface EncodedLog {
  readonly address: string
  readonly topics: readonly string[]
  readonly data: string
}

const topics = {
  schemaRegistered: '0xd0f9818d35b9c7d941f89e81a08a7f4761384ae32aeaf4a913b94319a321e7ff',
  attestationMade: '0x38b331f00373c8b0f9af5a4273ca1b91e894fec999bfa4ec787e8c90a5c8b05c',
  attestationRevoked: '0x294c02ce66be799794a712d72e9926c40a3cb2738a51571523ffe23be2c6fb01',
  offchainAttestationMade: '0x6f0bf119c2fc55752051c1cfde5d145fdd499c7f748df7920409c72319ff6027',
  offchainAttestationRevoked: '0x8cdef7ac4262df432ef960b4d902483c56118d54647a70746d99abc05cb970ba',
  legacySchemaRegistered: '0x0084a511eb95d20783ca15f4a700e3ebae82c5a3b891ae7910bbd966695845bf',
  legacyAttestationMade: '0x1832721a412644a22475e05aed6d68366bb3e1adfc4df49b6eabdad773da1044',
  legacyAttestationRevoked: '0xc44d6340c50a9fd05ab3c2a2be47cd92f00ae53c38b7f1847962b80ee66640db',
  attested: '0x8bf46bf4cfd674fa735a3d63ec1c9ad4153f033c290341f3a588b75685141b35',
  revoked: '0xf930a6e2523c9cc298691873087a740550b8fc85a0680830414c148ed927f615',
  registered: '0x7d917fcbc9a29a9705ff9936ffa599500e4fd902e4486bae317414fe967b307c',
  registeredWithRecord: '0xd0b86852e21f9e5fa4bc3b0cff9757ffe243d50c4b43968a42202153d651ea5e',
  timestamped: '0x5aafceeb1c7ad58e4a84898bdee37c02c0fc46e7d24e6b60e8209449f183459f',
  veraxRegistered: '0xfe10586889e06530420fe4a0d86aa4f7afc3c9dc84b0c77b731a9615496ef18a',
  veraxRevoked: '0x04bed256ad23fe17d61d9248ee108825bf3b1d04527fee36f0ee2af633fc1452',
  veraxReplaced: '0x77d674474bd19340e11693fde02ab981634002a50709bcaf013916b59e40c07d',
  veraxSchemaCreated: '0x4c757208c931a5f2d7900aebd0ab4a238965c74ba1de8d2b54e234513e8a7d9e',
  veraxContextUpdated: '0x2259f2b8a71fba4214a0830b6c2878525e5bf79911a536b7dab84270fb31947f',
  veraxPortalRevoked: '0x3d6e85d7560af02579467bce30e02d3f08d3527a14d519ff42bee5774c70f95a',
  veraxPortalRegistered: '0x2b7df910f1bbb7a5c5b32de79907b6445d28b219a71bcb754b46d8d225d27e86',
  revokedOffchain: '0x92a1f7a41a7c585a8b09e25b195e225b1d43248daca46b0faf9e0792777a2229',
} as const

/** The log by which a contract of the chain tells an event, or would tell it. */
export function encodeLog(chain: SimulatedChain, event: TrueEvent): EncodedLog {
  const { sign, eas, schemaRegistry, verax, veraxSchemas, veraxPortals } = chain.contracts
  const isLegacy = event.block < chain.options.legacySignBelow
  const signLog = (current: string, legacy: string, data: string): EncodedLog => ({
    address: sign,
    topics: [isLegacy ? legacy : current],
    data: `0x${data}`,
  })
  switch (event.kind) {
    case 'signSchema':
      return signLog(topics.schemaRegistered, topics.legacySchemaRegistered, word(event.id))
    case 'signAttestation':
      return signLog(
        topics.attestationMade,
        topics.legacyAttestationMade,
        idAndText(event.id, event.record.indexingKey),
      )
    case 'signRevocation':
      return signLog(
        topics.attestationRevoked,
        topics.legacyAttestationRevoked,
        idAndText(event.id, event.reason),
      )
    case 'easSchema': {
      const { uid, registerer, resolver, revocable, text } = event.record
      return chain.options.registersWithRecord
        ? {
            address: schemaRegistry,
            topics: [topics.registeredWithRecord, uid, `0x${word(registerer)}`],
            data: `0x${encodeEasSchema({ uid: uid.slice(2), resolver, revocable, schema: text })}`,
          }
        : { address: schemaRegistry, topics: [topics.registered, uid], data: `0x${word(registerer)}` }
    }
    case 'easAttestation':
    case 'easRevocation': {
      const { recipient, attester, uid, schemaUid } = event.record
      const topic = event.kind === 'easAttestation' ? topics.attested : topics.revoked
      return {
        address: eas,
        topics: [topic, `0x${word(recipient ?? '')}`, `0x${word(attester)}`, schemaUid],
        data: uid,
      }
    }
    case 'veraxSchema': {
      const { id, name, description, context, text } = event.record
      return {
        address: veraxSchemas,
        topics: [topics.veraxSchemaCreated, id],
        data: `0x${encodeStrings([name, description, context, text])}`,
      }
    }
    case 'veraxPortal':
      return {
        address: veraxPortals,
        topics: [topics.veraxPortalRegistered],
        data: `0x${encodePortalRegistered(event.record)}`,
      }
    case 'veraxPortalRevoked':
      return { address: veraxPortals, topics: [topics.veraxPortalRevoked], data: `0x${word(event.portal)}` }
    case 'veraxContext':
      return { address: veraxSchemas, topics: [topics.veraxContextUpdated, event.schemaId], data: '0x' }
    case 'veraxImport':
    case 'veraxAttestation':
      return { address: verax, topics: [topics.veraxRegistered, event.record.id], data: '0x' }
    case 'veraxRevocation':
      return { address: verax, topics: [topics.veraxRevoked], data: event.id }
    case 'veraxReplaced':
      return {
        address: verax,
        topics: [topics.veraxReplaced],
        data: `${event.id}${event.replacedBy.slice(2)}`,
      }
    case 'anchor':
      return encodeAnchor(chain, event.anchor, event.timestamp)
    case 'agent': {
      const { registry, topics: logTopics, data } = event.log
      return { address: chain.contracts[registry], topics: logTopics, data }
    }
    case 'malformed':
      return event.protocol === 'sign'
        ? { address: sign, topics: [topics.attestationMade], data: `0x${event.noise}` }
        : { address: eas, topics: [topics.attested, `0x${word('')}`], data: `0x${event.noise}` }
  }
}

function encodeAnchor(chain: SimulatedChain, anchor: TrueAnchor, timestamp: number): EncodedLog {
  const { sign, eas } = chain.contracts
  switch (anchor.name) {
    case 'OffchainAttestationMade':
      return {
        address: sign,
        topics: [topics.offchainAttestationMade],
        data: `0x${encodeString(anchor.id)}`,
      }
    case 'OffchainAttestationRevoked': {
      const id = tail(utf8Digits(anchor.id))
      return {
        address: sign,
        topics: [topics.offchainAttestationRevoked],
        data: `0x${word(64)}${word(64 + id.length / 2)}${id}${tail(utf8Digits(anchor.reason))}`,
      }
    }
    case 'Timestamped':
      return {
        address: eas,
        topics: [topics.timestamped, `0x${anchor.data}`, `0x${word(timestamp)}`],
        data: '0x',
      }
    case 'RevokedOffchain':
      return {
        address: eas,
        topics: [
          topics.revokedOffchain,
          `0x${word(anchor.account)}`,
          `0x${anchor.data}`,
          `0x${word(timestamp)}`,
        ],
        data: '0x',
      }
  }
}

/** `abi.encode(uint64, string)`. */
function idAndText(id: number, text: string): string {
  return word(id) + word(64) + tail(utf8Digits(text))
}
