import { judgeRequest, type GateRule } from './gate/judgeRequest.ts'

export type { GateRule, RefusalBody } from './gate/judgeRequest.ts'

/**
 * Middleware for Hono that lets a request through by a policy:
 * `app.get('/members', requirePolicy({ client, policy: 'member', subject: (c) => c.get('account') }), handler)`.
 * `subject` is given the context of the request.
 */
export function requirePolicy<Context>(rule: GateRule<Context>) {
  return async (context: Context, next: () => Promise<void>): Promise<Response | undefined> => {
    const ruling = await judgeRequest(rule, context)
    if (!ruling.passes) return Response.json(ruling.body, { status: ruling.status })
    await next()
    return undefined
  }
}
