import { ApiError, BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import { formatCompositeId, recordKeyText, type RecordKey } from '@attestry/core/model/compositeId.ts'
import type { FastifyInstance } from 'fastify'
import type { Address } from '@attestry/core/model/hex.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { GateContext } from './gateContext.ts'
import { addEndpoint } from '@attestry/server/pipeline/addEndpoint.ts'
import { addPostEndpoint } from '@attestry/server/pipeline/addPostEndpoint.ts'
import { describeInput } from '@attestry/server/pipeline/describeInput.ts'
import { jsonText, writeJson } from '@attestry/server/pipeline/answers/writeJson.ts'
import type { Shown } from '@attestry/server/records/payloadSchemas.ts'
import { createFixedAnswer, sendFixedAnswer } from '@attestry/server/pipeline/answers/fixedAnswer.ts'
import { aboutChains, type Question } from '@attestry/server/pipeline/asOf/openView.ts'
import { asOfParameter, parseAsOf, type AskedMoment } from '@attestry/server/pipeline/asOf/parseAsOf.ts'
import { aboutIds, addressParameter } from '@attestry/server/pipeline/parameters/idParameters.ts'
import type { Parameter, ParameterValues } from '@attestry/server/pipeline/parameters/parameter.ts'
import { readAddresses, type Sent } from '@attestry/server/pipeline/parameters/readAddresses.ts'
import { manyMax, readBodyMembers } from '@attestry/server/pipeline/parameters/readBody.ts'
import { gateAnswer, gateRequest, jwksAnswer, policiesAnswer } from './gateSchemas.ts'
import { judgementBytes, type Verdict } from './evaluatePolicy.ts'
import { findPolicy, readPolicy, type GatePolicies } from './gatePolicies.ts'
import { readIndexState, type IndexState } from './indexState.ts'
import { judgeSubjects, type Judgement } from './judgeSubjects.ts'
import { listTerms } from './listTerms.ts'
import { listHolds, type Policy } from './policy.ts'
import { policyParameter } from './policyParameter.ts'
import {
  askedForm,
  bareParameters,
  formDescriptions,
  onlyVerdict,
  signedParameters,
  signJudgement,
  type SignedValues,
} from './signedForm.ts'
import { bareSignature, readAllowed, signTyped } from './typedVerdict.ts'

const { name, in: place, schema, read } = addressParameter
/** Answers repeat an address as it was sent. */
const sentAddressParameter: Parameter<Sent<Address>> = {
  name,
  in: place,
  schema,
  absent: null,
  read: (text) => ({ value: read(text), text }),
}

const pathParameters = {
  policy: policyParameter,
  address: sentAddressParameter,
  asOf: asOfParameter,
  ...bareParameters,
} as const

type PathValues = ParameterValues<typeof pathParameters>

const exampleAttester = '0x742d35Cc6634C0532925a3b844Bc454e4438f44e'
const examplePolicy = { holds: { schema: 'onchain_evm_11155111_0x1a', attester: [exampleAttester] } }
const exampleSubject = '0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5'

/** Verdicts of policies on addresses, and the policies of this server (docs/gate.md). */
export function addGateEndpoints(app: FastifyInstance, context: GateContext): void {
  const { policies } = context
  const judge = <Shown>(
    reader: PastReader,
    { policy, subjects, asOf }: GateBody,
    show: (verdict: Verdict, index: number) => Shown,
  ) => {
    const addresses = subjects.map(({ value }) => value)
    return judgeSubjects({ ...context, reader }, policy, addresses, asOf, show)
  }
  const answer = (reader: PastReader, asked: GateBody) =>
    context.judging.run(judgementBytes(asked.policy, asked.subjects.length), async () =>
      present(asked, await judge(reader, asked, presentVerdict(asked))),
    )
  const judgeWhole = (reader: PastReader, asked: GateBody) => judge(reader, asked, (verdict) => verdict)
  const answerProven = async (reader: PastReader, asked: GateBody): Promise<GateAnswer> => {
    const judgement = await judgeWhole(reader, asked)
    const verdicts = judgement.verdicts.map(presentVerdict(asked))
    const records = judgement.verdicts.flatMap((verdict) => verdict.records)
    return {
      ...present(asked, { ...judgement, verdicts }),
      proofs: await proveRecords(context, reader, records),
    }
  }
  const signJws = (reader: PastReader, asked: GateBody, values: SignedValues) =>
    signJudgement(context, asked, () => judgeWhole(reader, asked), values)
  const sign = (reader: PastReader, asked: GateBody, values: SignedValues) =>
    signTyped({ ...context, reader }, asked, () => judgeWhole(reader, asked), values)
  const signTypedData = async (reader: PastReader, asked: GateBody, values: SignedValues) => {
    const { judgement, signed } = await sign(reader, asked, values)
    const verdicts = judgement.verdicts.map(presentVerdict(asked))
    return writeJson(signed ?? { ...present(asked, { ...judgement, verdicts }), signature: null })
  }
  const answerBare = async (reader: PastReader, values: PathValues) => {
    const asked = readPath(values)
    if (values.as === 'signature') {
      const { judgement, signed } = await sign(reader, asked, values)
      return bareSignature(values.policy, onlyVerdict(judgement.verdicts), signed)
    }
    return String(readAllowed(onlyVerdict((await judgeWhole(reader, asked)).verdicts)))
  }
  const readPath = ({ policy, address, asOf }: PathValues): GateBody => ({
    policy: findPolicy(policies, policy),
    name: policy,
    subjects: [address],
    asOf,
    explain: false,
  })
  addEndpoint(app, context, {
    path: '/scan/gate/:policy/:address',
    rank: 1,
    summary: 'Whether a policy lets an address through, and why',
    description:
      'The verdict with the records that decided and the state of the index that it is of. `signed` asks for it as a JWS.',
    parameters: pathParameters,
    data: gateAnswer,
    about: (values) => aboutPolicy(readPath(values)),
    answer: async (reader, values) => {
      const asked = readPath(values)
      return { data: await answer(reader, asked), followsClock: true }
    },
    otherForms: [
      {
        description: formDescriptions.jws,
        isAsked: (values, accept) => askedForm(values, accept) === 'jws',
        answer: (reader, values) => signJws(reader, readPath(values), values),
      },
      {
        description: formDescriptions.eip712,
        isAsked: (values, accept) => askedForm(values, accept) === 'eip712',
        answer: (reader, values) => signTypedData(reader, readPath(values), values),
      },
      {
        description: formDescriptions.text,
        isAsked: (values, accept) => askedForm(values, accept) === 'text',
        answer: answerBare,
      },
    ],
  })
  addPostEndpoint(app, context, {
    path: '/scan/gate',
    summary: `The verdicts of a policy on up to ${manyMax} addresses`,
    description: 'In the order of the subjects, all in one state of the index. The request changes nothing.',
    parameters: signedParameters,
    request: { schema: gateRequest, example: { policy: examplePolicy, subjects: [exampleSubject] } },
    rank: 1,
    tool: {
      name: 'evaluate_policy',
      description:
        'The tool for decisions: whether a policy lets addresses through (allow, deny, or unknown while the index cannot ' +
        'tell), and which attestations decided. Takes a policy of the server by its name, or a policy itself such as ' +
        '{"holds": {"schema": "onchain_evm_10_0x8", "attester": ["0x…"]}}. Name attesters whom the user trusts: anybody ' +
        'may attest under a schema.',
    },
    data: gateAnswer,
    readBody: (text) => readGateBody(policies, text),
    about: aboutPolicy,
    answer: async (asked, reader) => ({
      data: await (asked.proves === true ? answerProven : answer)(reader, asked),
    }),
    otherForms: [
      {
        description: formDescriptions.jws,
        isAsked: ({ values }, accept) => askedForm(values, accept) === 'jws',
        answer: (reader, { body, values }) => signJws(reader, body, values),
      },
      {
        description: formDescriptions.eip712,
        isAsked: ({ values }, accept) => askedForm(values, accept) === 'eip712',
        answer: (reader, { body, values }) => signTypedData(reader, body, values),
      },
    ],
  })
  addPoliciesEndpoint(app, context)
  addKeysEndpoint(app, context)
}

function addPoliciesEndpoint(app: FastifyInstance, context: GateContext): void {
  const { named, allowsInline } = context.policies
  const rows = [...named].map(([name, { hash, written, chainIds }]) => ({
    name,
    policyHash: hash,
    policy: written,
    chainIds: chainIds.map(String),
  }))
  const { signingKey, evmKey } = context
  const signer = evmKey === null ? null : evmKey.address
  const data = { rows, allowsInline, signs: signingKey !== null, signer }
  addEndpoint(app, context, {
    path: '/scan/policies',
    rank: 1,
    summary: 'The policies of this server',
    description: 'The policies of the configuration, with the hash that names each in verdicts.',
    parameters: {},
    data: policiesAnswer,
    about: () => aboutChains([]),
    answer: () => Promise.resolve({ data }),
  })
}

/** The keys by which verdicts are checked, where libraries for JWS look for them. */
function addKeysEndpoint(app: FastifyInstance, { signingKey, evmKey }: GateContext): void {
  const keys = [signingKey, evmKey].flatMap((key) => (key === null ? [] : [key.publicJwk]))
  const headers = { 'content-type': 'application/jwk-set+json', 'cache-control': 'public, max-age=300' }
  const answer = createFixedAnswer(Buffer.from(JSON.stringify({ keys })), headers)
  app.route({
    method: ['GET', 'HEAD'],
    url: '/.well-known/jwks.json',
    config: {
      operation: {
        summary: 'The public keys of signed verdicts',
        description: 'Libraries for JWS find them here.',
        parameters: {},
        body: {
          mediaType: 'application/jwk-set+json',
          description: 'The keys; none where this server signs nothing.',
          schema: jwksAnswer,
          example: { keys: [] },
        },
      },
    },
    handler: (request, reply) => sendFixedAnswer(request, reply, answer),
  })
}

interface GateBody {
  readonly policy: Policy
  /** The name of the policy; null for a policy that the request brings. */
  readonly name: string | null
  readonly subjects: readonly Sent<Address>[]
  readonly asOf: AskedMoment | IndexState | null
  readonly explain: boolean
  /** Whether the records that decided are proven; absent: they are not. */
  readonly proves?: boolean
}

/** The chains of a policy that is judged now; of a moment, the verdict itself says what is not known. */
function aboutPolicy({ policy, asOf }: GateBody): Question {
  if (asOf !== null) return aboutChains([])
  const schemas = listHolds(policy.term).map(({ schema: value }) => ({ kind: 'known', value }) as const)
  return aboutIds(schemas, 'schema')
}

/** Each proof of a record takes requests to endpoints. */
const provenMax = 5

/** Proves the state of each record, or says why not. */
async function proveRecords(
  { stateProofs }: GateContext,
  reader: PastReader,
  records: readonly RecordKey[],
): Promise<NonNullable<GateAnswer['proofs']>> {
  const keys = new Map(records.map((key) => [recordKeyText(key), key]))
  return await Promise.all(
    [...keys.values()].map(async (key) => {
      const id = formatCompositeId(key)
      try {
        // The claim is that of an attestation.
        const proof = (await stateProofs.proveAttestation(reader, key)) as ProvenState
        return { id, proof, proofError: null }
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        return { id, proof: null, proofError: error.message }
      }
    }),
  )
}

type ProvenState = NonNullable<NonNullable<GateAnswer['proofs']>[number]['proof']>

/** The terms of a policy for each of 10,000 subjects would be an answer of 200 MB. */
const explainedMax = 100

function readGateBody(policies: GatePolicies, text: string): GateBody {
  const known = ['policy', 'subjects', 'asOf', 'at', 'explain', 'prove']
  const { policy, subjects: sent, asOf, at, explain, prove } = readBodyMembers(text, known)
  const subjects = readAddresses('subjects', sent)
  if (explain !== undefined && typeof explain !== 'boolean') {
    throw new BadParameterError(`explain must be true or false; it was ${describeInput(explain)}.`)
  }
  if (explain === true && subjects.length > explainedMax) {
    throw new BadParameterError(
      `explain is for at most ${explainedMax} subjects; there are ${subjects.length}.`,
    )
  }
  if (prove !== undefined && typeof prove !== 'boolean') {
    throw new BadParameterError(`prove must be true or false; it was ${describeInput(prove)}.`)
  }
  if (prove === true && subjects.length > provenMax) {
    throw new BadParameterError(`prove is for at most ${provenMax} subjects; there are ${subjects.length}.`)
  }
  const moment = readMoment(asOf, at)
  if (prove === true && moment !== null) {
    throw new BadParameterError('prove goes without asOf: proofs are of the newest block.')
  }
  return {
    policy: readPolicy(policies, policy),
    name: typeof policy === 'string' ? policy : null,
    subjects,
    asOf: moment,
    explain: explain === true,
    proves: prove === true,
  }
}

function readMoment(asOf: unknown, at: unknown): AskedMoment | IndexState | null {
  if (Array.isArray(asOf)) return readIndexState(asOf, at)
  if (at !== undefined && at !== null) {
    throw new BadParameterError('at goes with the list asOf of the same answer.')
  }
  return asOf === undefined || asOf === null ? null : parseAsOf(asOf)
}

type GateAnswer = Shown<typeof gateAnswer>

/** The rows of an answer. Each is text: those of 10,000 subjects would take more memory as objects. */
function presentVerdict({ subjects, explain }: GateBody) {
  return ({ verdict, because, reasons, finding }: Verdict, index: number): GateAnswer['rows'][number] => {
    const subject = subjects[index]?.text
    const terms = explain ? { terms: listTerms(finding) } : {}
    return jsonText(JSON.stringify({ subject, verdict, because, reasons, ...terms }))
  }
}

function present(
  { policy }: GateBody,
  { verdicts, asOf, at }: Judgement<GateAnswer['rows'][number]>,
): GateAnswer {
  return { rows: verdicts, asOf, at, policyHash: policy.hash }
}
