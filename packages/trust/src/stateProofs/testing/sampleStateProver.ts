import { parseAddress, zeroAddress, type Address } from '@attestry/core/model/hex.ts'
import { formatCompositeId, type LocalId } from '@attestry/core/model/compositeId.ts'
import { encodeHeader } from '../../proofs/encodeHeader.ts'
import type { StateProver } from '../../commands/createStateProver.ts'
import { stateBlockOf } from '../buildStateProof.ts'
import { layoutProtocols } from '../layouts.ts'
import type { Claim, LayoutName } from '../stateProof.ts'
import { takeStateProof } from '../takeStateProof.ts'
import { putClients, putFeedback, putRecord, someWord } from './madeRecords.ts'
import { makeState, type MadeStorage } from './madeState.ts'

const addressOf = (byte: string): Address => parseAddress(`0x${byte.repeat(20)}`) ?? zeroAddress
const [contract, attester, recipient] = [addressOf('11'), addressOf('a1'), addressOf('b2')]
const uid = someWord('5a')

/** Proves a claim of the kind that is asked for, in a state that is made up to hold it. */
export const sampleStateProver: StateProver = {
  async prove({ key, chainId }) {
    const [kind] = key.split(' ')
    const id = (localId: string) => formatCompositeId({ chainId, localId: localId as LocalId })
    const samples: Readonly<Record<string, readonly [LayoutName, Claim]>> = {
      attestation: ['eas-1.2', { kind: 'attestation', id: id(uid) }],
      anchor: ['eas-1.2', { kind: 'anchor', account: attester, uid: someWord('01'), witness: id(uid) }],
      count: ['sign-1.1', { kind: 'count', witness: null }],
      reputation: ['erc8004', { kind: 'reputation', agentId: '22', client: null, witness: null }],
      holder: [
        'eas-1.2',
        {
          kind: 'holder',
          address: recipient,
          schemaId: someWord('77'),
          attester,
          attestation: id(uid),
          index: null,
          witness: null,
        },
      ],
    }
    const sample = samples[kind ?? '']
    if (sample === undefined) throw new Error(`there is no sample of ${key}`)
    const [layout, claim] = sample
    const storage: MadeStorage = new Map()
    putRecord(storage, layout === 'sign-1.1' ? layout : 'eas-1.2', {
      id: layout === 'sign-1.1' ? someWord('00') : uid,
      schema: someWord('77'),
      attester,
      recipient,
    })
    putClients(storage, '22', [attester])
    putFeedback(storage, '22', attester, [{ value: 5n, decimals: 0 }])
    const state = await makeState([{ address: contract, storage }])
    const headerRlp = encodeHeader(state.block)
    const block = headerRlp === null ? null : stateBlockOf(headerRlp)
    if (block === null) throw new Error('the made block has no header')
    const subject = { chainId, protocol: layoutProtocols[layout], place: { contract, layout }, claim }
    const taken = await takeStateProof([subject], {
      block,
      ask: (wanted) => Promise.all(wanted.map((each) => state.prove(each))),
      implementationOf: () => null,
    })
    if (taken.kind !== 'proof') throw new Error(JSON.stringify(taken))
    return { proof: taken.proof, at: 1_700_000_000, blockState: 'indexed', keptBecause: null }
  },
  findKept: () => Promise.resolve(null),
}
