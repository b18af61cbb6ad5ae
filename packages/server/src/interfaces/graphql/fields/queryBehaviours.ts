import type { RecordKey } from '@attestry/core/model/compositeId.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import { everyAttestation, everySchema } from '@attestry/core/index/indexQueries.ts'
import { changePageParameters } from '../../events/addChangesEndpoint.ts'
import { describeAnchor } from '../../../records/describeAnchor.ts'
import { pageGroups } from '../../../records/pageGroups.ts'
import type { OffchainAttestation } from '../../../records/offchainRecords.ts'
import type { Question } from '../../../pipeline/asOf/openView.ts'
import {
  anchorAccountParameter,
  anchorTypeParameter,
  anchorValueParameter,
} from '../../../pipeline/parameters/anchorParameters.ts'
import { groupParameter } from '../../../pipeline/parameters/groupParameter.ts'
import {
  attestationFilterParameters,
  askedByListing,
} from '../../../pipeline/parameters/attestationFilterParameters.ts'
import {
  addressParameter,
  askedByIds,
  checkSigner,
  ofProtocol,
  recordIdParameter,
  signerParameter,
  type Identified,
} from '../../../pipeline/parameters/idParameters.ts'
import { idProtocolParameter } from '../../../pipeline/parameters/protocolParameters.ts'
import { aboutNoChain } from '../execution/aboutOfPlan.ts'
import type { ArgumentValues } from '../execution/plan.ts'
import { connectionSize } from '../input/readConnection.ts'
import {
  readAttestationFilter,
  readChangeFilter,
  readMembers,
  readSchemaFilter,
} from '../input/readFilters.ts'
import { pageSize, readPage } from '../input/readPage.ts'
import type { RequestContext } from '../requestContext.ts'
import { addressNode } from './addressBehaviours.ts'
import { chainNode } from './overviewBehaviours.ts'
import { attestationFieldsFor } from './attestationFieldsFor.ts'
import { connectAttestations, connectSchemas } from './connection.ts'
import type { TypeBehaviour, FieldParts, Resolve } from './fieldBehaviour.ts'
import { schemaNode } from './schemaNode.ts'
import { parseAsOf } from '../../../pipeline/asOf/parseAsOf.ts'
import { InContext } from '../execution/executePlan.ts'

const idParameter = recordIdParameter('')

/** The record that the arguments `id` and `protocol` name. */
function readId({ id, protocol }: Readonly<Record<string, unknown>>) {
  const name = typeof protocol === 'string' ? idProtocolParameter.read(protocol) : null
  return ofProtocol(idParameter.read(String(id)), name)
}

/** The attestation of EAS with an off-chain id; null if none is stored. */
async function findStored(
  id: Identified<RecordKey>,
  signer: Address | null,
  { offchainRecords, reader, schemas, now }: RequestContext,
): Promise<OffchainAttestation | null> {
  // Answers are cached by the version of the index, which does not change with the off-chain store.
  now()
  checkSigner(id, signer)
  const attestation = await offchainRecords.findIndexed(reader, id, signer)
  if (attestation === null) return null
  const schema = await schemas.load({ ...attestation.key, localId: attestation.schemaId })
  return { ...attestation, schema }
}

type ChainsAsked = Omit<Question, 'asOf'>

/** The record that the arguments name. */
const askedById =
  (kind: 'schema' | 'attestation') =>
  (values: ArgumentValues): ChainsAsked =>
    askedByIds([readId(values)], kind)

/** The chains that a filter of attestations or schemas depends on; null: all of them. */
function chainsOfFilter({ filter }: ArgumentValues): ChainsAsked {
  return { ...askedByListing(readMembers(attestationFilterParameters, filter)), isFiltered: true }
}

/** The arguments of `anchors` beside the page, as GraphQL has checked them. */
interface AnchorArguments {
  readonly value?: string | null
  readonly type?: string | null
  readonly account?: string | null
}

/** The fields that queries begin with. */
export const queryBehaviours = {
  Query: {
    schema: asOfField((_root, values, { schemas }) => {
      const id = readId(values)
      if (id.kind === 'unknown') return null
      return schemas.load(id.value).then((stored) => (stored === null ? null : schemaNode(stored)))
    }, askedById('schema')),
    pagedSchemas: asOfField({
      size: pageSize,
      resolve: async (_root, values, { reader }) => {
        const page = readPage(values)
        const { total, rows } = await reader.listSchemas({ filter: everySchema }, page)
        return { ...page, total, schemas: rows.map(schemaNode) }
      },
    }),
    attestation: asOfField((_root, values, context) => {
      const id = readId(values)
      const { signer } = values
      const of = typeof signer === 'string' ? signerParameter.read(signer) : null
      return id.kind === 'known' && of === null
        ? context.attestations.load(id.value)
        : findStored(id, of, context)
    }, askedById('attestation')),
    pagedAttestations: asOfField({
      size: pageSize,
      resolve: async (_root, values, { reader }, info) => {
        const page = readPage(values)
        const fields = attestationFieldsFor(info)
        const { total, rows } = await reader.listAttestations({ filter: everyAttestation }, page, fields)
        return { ...page, total, attestations: rows }
      },
    }),
    attestations: asOfField(
      {
        size: connectionSize,
        resolve: async (_root, values, context, info) => {
          const filter = await context.checkFields(readAttestationFilter(values['filter'], context.now))
          return connectAttestations(filter, values, context, info)
        },
      },
      chainsOfFilter,
    ),
    attestationGroups: asOfField(
      {
        size: pageSize,
        resolve: async (_root, values, context) => {
          const request = readPage(values)
          const by = groupParameter.read(String(values['by']))
          const filter = readAttestationFilter(values['filter'], context.now)
          return { ...request, ...(await context.countRows(() => pageGroups(context, by, filter, request))) }
        },
      },
      chainsOfFilter,
    ),
    changes: {
      size: pageSize,
      resolve: async (_root, values, { readChanges }) => {
        const { since, size } = readMembers(changePageParameters, values)
        return (await readChanges?.(readChangeFilter(values['filter']), since, size)) ?? null
      },
    },
    anchors: {
      size: pageSize,
      resolve: async (_root, values, { reader }) => {
        const request = readPage(values)
        const { value, type, account } = values as AnchorArguments
        const filter = {
          value: anchorValueParameter.read(value ?? ''),
          kind: anchorTypeParameter.read(type ?? ''),
          account: anchorAccountParameter.read(account ?? ''),
          chainId: null,
        }
        const { total, rows } = await reader.listAnchors(filter, request)
        return { ...request, total, rows: rows.map(describeAnchor) }
      },
    },
    schemas: asOfField(
      {
        size: connectionSize,
        resolve: (_root, values, context) =>
          connectSchemas(readSchemaFilter(values['filter']), values, context),
      },
      chainsOfFilter,
    ),
    address: asOfField((_root, values, context) =>
      addressNode(addressParameter.read(String(values['address'])), context),
    ),
    stats: asOfField((_root, _values, { reader }) => reader.listTotals()),
    chains: {
      about: () => aboutNoChain,
      resolve: async (_root, _values, { reader }) => (await reader.listChains()).map(chainNode),
    },
  },
} satisfies { readonly Query: TypeBehaviour<unknown> }

/**
 * A field of a query with the argument `asOf`: with it, the field and all below it are answered as of the moment.
 * @param chainsOf the chains that arguments ask about, if not all of them.
 */
function asOfField(
  behaviour: Resolve<unknown> | (FieldParts<unknown> & { readonly resolve: Resolve<unknown> }),
  chainsOf: (values: ArgumentValues) => Omit<Question, 'asOf'> = () => ({ chainIds: null }),
): FieldParts<unknown> {
  const { resolve, ...parts } = typeof behaviour === 'function' ? { resolve: behaviour } : behaviour
  return {
    ...parts,
    about: (values) => {
      const { asOf } = values
      const moment = typeof asOf === 'string' && asOf !== '' ? parseAsOf(asOf) : null
      return { ...chainsOf(values), asOf: moment }
    },
    resolve: (root, values, context, info) => {
      const { asOf } = values
      if (typeof asOf !== 'string' || asOf === '') return resolve(root, values, context, info)
      return resolveAt(asOf)
      async function resolveAt(moment: string): Promise<InContext> {
        const past = await context.at({ ...chainsOf(values), asOf: parseAsOf(moment) })
        return new InContext(await resolve(root, values, past, info), past)
      }
    },
  }
}
