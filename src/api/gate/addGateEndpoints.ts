import type { FastifyInstance } from 'fastify'
import type { Address } from '../../model/hex.ts'
import { addEndpoint, type ApiContext } from '../addEndpoint.ts'
import { addPostEndpoint } from '../addPostEndpoint.ts'
import { addressParameter } from '../parameters/idParameters.ts'
import type { Parameter } from '../parameters/parameter.ts'
import { readAddresses, type Sent } from '../parameters/readAddresses.ts'
import { readBodyMembers } from '../parameters/readBody.ts'
import { manyMax } from '../rest/manySchemas.ts'
import { readAsOf, type AsOf } from './asOf.ts'
import { asOfSchema, gateAnswer, gateRequest } from './gateSchemas.ts'
import { findPolicy, readPolicy, type GatePolicies } from './gatePolicies.ts'
import { judgeSubjects, type Judgement } from './judgeSubjects.ts'
import type { Policy } from './policy.ts'
import { policyParameter } from './policyParameter.ts'

const asOfParameter: Parameter<AsOf | null> = {
  name: 'asOf',
  in: 'query',
  schema: asOfSchema,
  absent: { value: null },
  read: (text) => (text === '' ? null : readAsOf(text)),
}

const examplePolicy = { holds: { schema: 'onchain_evm_11155111_0x1a', attester: 'any' } }
const exampleSubject = '0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5'

/** Verdicts of policies on addresses (docs/gate.md). */
export function addGateEndpoints(app: FastifyInstance, context: ApiContext): void {
  const { policies } = context
  addEndpoint(app, context, {
    path: '/scan/gate/:policy/:address',
    summary: 'Whether a policy lets an address through, and why',
    parameters: {
      policy: policyParameter,
      address: addressParameter,
      asOf: asOfParameter,
    },
    data: gateAnswer,
    answer: async (reader, { policy: name, address, asOf }, url) => {
      const policy = findPolicy(policies, name)
      const judgement = await judgeSubjects({ ...context, reader }, policy, [address], asOf)
      const [, sent = address] = /\/(0[xX][0-9a-fA-F]{40})(?:[/?]|$)/.exec(url) ?? []
      return { dataJson: present(policy, judgement, [sent]), link: null, followsClock: true }
    },
  })
  addPostEndpoint(app, context, {
    path: '/scan/gate',
    summary: `The verdicts of a policy on up to ${manyMax} addresses`,
    request: { schema: gateRequest, example: { policy: examplePolicy, subjects: [exampleSubject] } },
    data: gateAnswer,
    readBody: (text) => readGateBody(policies, text),
    answer: async ({ policy, subjects, asOf }, reader) => {
      const addresses = subjects.map(({ value }) => value)
      const judgement = await judgeSubjects({ ...context, reader }, policy, addresses, asOf)
      return present(
        policy,
        judgement,
        subjects.map(({ text }) => text),
      )
    },
  })
}

interface GateBody {
  readonly policy: Policy
  readonly subjects: readonly Sent<Address>[]
  readonly asOf: AsOf | null
}

function readGateBody(policies: GatePolicies, text: string): GateBody {
  const { policy, subjects, asOf } = readBodyMembers(text, ['policy', 'subjects', 'asOf'])
  return {
    policy: readPolicy(policies, policy),
    subjects: readAddresses('subjects', subjects),
    asOf: asOf === undefined || asOf === null ? null : readAsOf(asOf),
  }
}

function present(policy: Policy, { verdicts, asOf }: Judgement, sent: readonly string[]): string {
  return JSON.stringify({
    rows: verdicts.map(({ verdict, because, reasons }, index) => ({
      subject: sent[index],
      verdict,
      because,
      reasons,
    })),
    asOf,
    policyHash: policy.hash,
  })
}
