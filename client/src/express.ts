import { judgeRequest, type GateRule } from './gate/judgeRequest.ts'

export type { GateRule, RefusalBody } from './gate/judgeRequest.ts'

/** The part of Express's response that is used. */
interface Response {
  status(status: number): { json(body: unknown): unknown }
}

/**
 * Middleware for Express 4 and 5 that lets a request through by a policy:
 * `app.get('/members', requirePolicy({ client, policy: 'member', subject }), handler)`.
 */
export function requirePolicy<Request>(rule: GateRule<Request>) {
  return async (request: Request, response: Response, next: (error?: unknown) => void): Promise<void> => {
    try {
      const ruling = await judgeRequest(rule, request)
      if (ruling.passes) next()
      else response.status(ruling.status).json(ruling.body)
    } catch (error) {
      // Express 4 does not look at promises.
      next(error)
    }
  }
}
