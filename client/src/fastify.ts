import { judgeRequest, type GateRule } from './gate/judgeRequest.ts'

export type { GateRule, RefusalBody } from './gate/judgeRequest.ts'

/** The part of Fastify's reply that is used. */
interface Reply {
  code(status: number): { send(body: unknown): unknown }
}

/**
 * A `preHandler` for Fastify that lets a request through by a policy:
 * `app.get('/members', { preHandler: requirePolicy({ client, policy: 'member', subject }) }, handler)`.
 */
export function requirePolicy<Request>(rule: GateRule<Request>) {
  return async (request: Request, reply: Reply): Promise<unknown> => {
    const ruling = await judgeRequest(rule, request)
    if (ruling.passes) return undefined
    const { status, body } = ruling
    return reply.code(status).send(body)
  }
}
