import { VerdictUncheckedError } from '@attestry/core/errors/verdictErrors.ts'
import type { OtherService, ServiceAnswer } from '@attestry/host/askService.ts'

/**
 * Asks an index about a verdict, as `OtherService.ask` does.
 * @throws VerdictUncheckedError if the index does not answer, or not with JSON within the limits.
 */
export async function askIndex(
  service: OtherService,
  path: string,
  signal: AbortSignal,
  body?: unknown,
): Promise<ServiceAnswer> {
  const answer = await service.ask(path, signal, body)
  if (answer.status !== null) return answer
  throw new VerdictUncheckedError(`${service.place} ${answer.reason}`)
}
