import type { FastifyInstance } from 'fastify'
import { BadParameterError, BadRequestError, NotFoundError } from '@attestry/core/errors/apiErrors.ts'
import type { RecordKey } from '@attestry/core/model/compositeId.ts'
import type { OffchainContext } from './offchainContext.ts'
import { addPostEndpoint } from '@attestry/server/pipeline/addPostEndpoint.ts'
import { isJsonObject } from '@attestry/core/model/jsonObject.ts'
import { describeInput } from '@attestry/server/pipeline/describeInput.ts'
import type { Shown } from '@attestry/server/records/payloadSchemas.ts'
import { nestsDeeper } from '@attestry/core/model/nesting.ts'
import { depthMax } from '@attestry/server/pipeline/bodies/readBodies.ts'
import { presentPrivateProof } from './presentPrivateProof.ts'
import { proveOffchain, verifyOffchain } from './verifyOffchain.ts'
import {
  readCompositeId,
  shownId,
  type Identified,
} from '@attestry/server/pipeline/parameters/idParameters.ts'
import { readBodyMembers, readText } from '@attestry/server/pipeline/parameters/readBody.ts'
import { verifiedOffchain, verifiedPrivate, verifyPrivateRequest, verifyRequest } from './offchainSchemas.ts'

const exampleLink = 'https://easscan.org/offchain/url/#attestation=eNo...'
const exampleId = `onchain_evm_11155111_0x${'5a'.repeat(32)}`

/** Bytes of a body: an envelope with its payload, or a proof, each value of which takes some hashes. */
const bytesMax = 256 * 1024

/** Verification of statements that no contract holds (docs/offchain.md). Nothing is stored. */
export function addOffchainEndpoints(app: FastifyInstance, context: OffchainContext): void {
  addPostEndpoint(app, context, {
    path: '/scan/offchain/verify',
    summary: 'Whether an off-chain attestation holds: each check, and what the index knows of it',
    description:
      'Takes an envelope of EAS, a signed body of Sign Protocol, or a link that has one. With `prove: true` beside it, the answer has a proof of state that its signer has, or has not, revoked it. Nothing is stored.',
    request: { schema: verifyRequest, example: { url: exampleLink } },
    tool: {
      name: 'verify_offchain',
      description:
        'Checks a signed off-chain attestation of EAS or Sign Protocol: its envelope, or url with its link.',
      openBody: {
        whole: 'envelope',
        members: {
          envelope:
            "An envelope of EAS or BAS (`sig`, `signer`), or the body that Sign Protocol's client sends (`signType`, " +
            '`publicKey`, `signature`, `message`, `attestation`). Sent as JSON text.',
          url: 'A link that holds an envelope.',
        },
      },
    },
    data: verifiedOffchain,
    body: { bytesMax, anyDepth: true },
    readBody: readJson,
    answer: async ({ text, proves }) => ({
      // The kind of the claim is an anchor.
      data: (await (proves ? proveOffchain : verifyOffchain)(context, text)) as Shown<
        typeof verifiedOffchain
      >,
    }),
  })
  addPostEndpoint(app, context, {
    path: '/scan/offchain/verify-private',
    summary: 'Whether values are among the private data whose root an attestation of EAS holds',
    description: 'Takes a multiproof of private data. Nothing is stored.',
    request: { schema: verifyPrivateRequest, example: { attestationId: exampleId, proof: exampleProof } },
    data: verifiedPrivate,
    body: { bytesMax },
    readBody: readProofBody,
    answer: (body) => answerPrivate(context, body),
  })
}

const exampleProof = {
  leaves: [{ type: 'string', name: 'name', value: 'Ada', salt: `0x${'11'.repeat(32)}` }],
  proof: [`0x${'22'.repeat(32)}`],
  proofFlags: [false],
}

interface VerifyBody {
  readonly text: string
  readonly proves: boolean
}

/** Any JSON is looked at; the check `format` says what is wrong with it. */
function readJson(text: string): VerifyBody {
  // No format nests so deep, and parsing would keep others waiting: it is judged as any other list.
  if (nestsDeeper(text, depthMax)) return { text: '[]', proves: false }
  return { text, proves: readProve(parseBody(text)) }
}

/** @throws BadParameterError */
function readProve(body: unknown): boolean {
  const prove = isJsonObject(body) ? body['prove'] : undefined
  if (prove === undefined || typeof prove === 'boolean') return prove === true
  throw new BadParameterError(`prove must be true or false; it was ${describeInput(prove)}.`)
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new BadRequestError(
      'The body is not valid JSON; send an envelope of EAS, {"url"} with a link, or a signed body of Sign Protocol.',
    )
  }
}

interface ProofBody {
  readonly id: Identified<RecordKey>
  readonly proof: unknown
}

function readProofBody(text: string): ProofBody {
  const { attestationId, proof } = readBodyMembers(text, ['attestationId', 'proof'])
  return { id: readCompositeId('attestationId', readText('attestationId', attestationId)), proof }
}

async function answerPrivate(context: OffchainContext, { id, proof }: ProofBody) {
  const attestation = id.kind === 'known' ? await context.reader.findAttestation(id.value) : null
  if (attestation === null) {
    throw new NotFoundError(
      `No attestation ${shownId(id)} is indexed here; /scan/attestations lists those that are.`,
    )
  }
  return { data: presentPrivateProof(context, attestation, proof) }
}
