import { NotFoundError } from '@attestry/core/errors/apiErrors.ts'
import type { RecordKey } from '@attestry/core/model/compositeId.ts'
import { emptyBecause, type View } from '../../pipeline/asOf/openView.ts'
import { shownId, type Identified } from '../../pipeline/parameters/idParameters.ts'

/** The error of a record that is not indexed, or was not as of a moment. */
export function notIndexed(
  kind: 'attestation' | 'schema',
  id: Identified<RecordKey>,
  view: View,
): NotFoundError {
  if (view.past === null) {
    return new NotFoundError(
      `No ${kind} ${shownId(id)} is indexed here; /scan/${kind}s lists those that are.`,
    )
  }
  const reason = emptyBecause(view)
  return new NotFoundError(
    `There was no ${kind} ${shownId(id)} as of ${view.past.text}${reason === null ? '.' : `: ${reason}`}`,
  )
}
