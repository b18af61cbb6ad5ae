import { attestationStatus } from '../format/attestationStatus.ts'
import { formatLongDuration, formatRelativeTime, formatShortDuration } from '../format/formatTime.ts'
import { Icon, type IconName } from './Icon.tsx'
import { useMoment } from './useMoment.ts'
import { useAbsoluteTime } from './timeZone.ts'
import styles from './StatusBadge.module.css'
import { classNames } from './classNames.ts'

export interface StatusBadgeProps {
  readonly attestation: { readonly revoked: boolean; readonly validUntil: string }
  readonly size?: 'small' | 'large'
}

const icons: Readonly<Record<'valid' | 'revoked' | 'expired' | 'expiring', IconName>> = {
  valid: 'check',
  revoked: 'revoked',
  expired: 'clock',
  expiring: 'clock',
}

/** Valid, revoked, expired, or about to expire: by colour, icon and words. */
export function StatusBadge({ attestation, size = 'small' }: StatusBadgeProps) {
  const { revoked, validUntil } = attestation
  const kind = useMoment((now) => attestationStatus({ revoked, validUntil }, now).kind)
  const words = useMoment((now) => wordsOf(attestationStatus({ revoked, validUntil }, now), now, size))
  const absoluteTime = useAbsoluteTime()
  const title = validUntil === '0' ? undefined : `Valid until ${absoluteTime(Number(validUntil))}`
  return (
    <span className={classNames(styles.badge, styles[kind], styles[size])} title={title} data-whole>
      <Icon name={icons[kind]} />
      {words}
    </span>
  )
}

function wordsOf(status: ReturnType<typeof attestationStatus>, now: number, size: 'small' | 'large'): string {
  switch (status.kind) {
    case 'valid':
      return 'Valid'
    case 'revoked':
      return 'Revoked'
    case 'expired':
      return size === 'large' ? `Expired ${formatRelativeTime(status.at, now)}` : 'Expired'
    case 'expiring':
      return `Expires in ${(size === 'large' ? formatLongDuration : formatShortDuration)(status.at - now)}`
  }
}
