import styles from './Icon.module.css'
import { classNames } from './classNames.ts'

/** Strokes of a 16 × 16 picture. */
const paths = {
  search: 'M7 12a5 5 0 1 0 0-10 5 5 0 0 0 0 10ZM14 14l-3.5-3.5',
  copy: 'M5.5 5.5h7a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1ZM2.5 10.5h-.3a.7.7 0 0 1-.7-.7V2.200a.7.7 0 0 1 .7-.7h7.600a.7.7 0 0 1 .7.7v.3',
  check: 'M3 8.500l3.2 3.200L13 4.8',
  close: 'M4 4l8 8M12 4l-8 8',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1v1.500M8 13.500V15M1 8h1.500M13.5 8H15M3.05 3.050l1.06 1.060M11.89 11.890l1.06 1.060M3.05 12.950l1.06-1.060M11.89 4.110l1.06-1.06',
  moon: 'M13.5 9.600A6 6 0 0 1 6.4 2.500a6 6 0 1 0 7.1 7.100Z',
  system:
    'M2.5 2.500h11a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1ZM5.5 14h5M8 11.500V14',
  chevronDown: 'M4 6l4 4 4-4',
  chevronUp: 'M4 10l4-4 4 4',
  sort: 'M5 6.500l3-3 3 3M5 9.500l3 3 3-3',
  chevronLeft: 'M10 4L6 8l4 4',
  chevronRight: 'M6 4l4 4-4 4',
  first: 'M11 4L7 8l4 4M4.5 4v8',
  last: 'M5 4l4 4-4 4M11.5 4v8',
  warning: 'M8 2L1.5 13.500h13L8 2ZM8 6.500v3.200M8 11.700v.1',
  info: 'M8 14.500a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM8 7.200v4M8 4.700v.1',
  clock: 'M8 14.500a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM8 4.500V8l2.3 1.5',
  revoked: 'M8 14.500a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM3.5 3.500l9 9',
  external:
    'M9 2.500h4.500V7M13.5 2.500L7.5 8.500M11.5 9.500v3a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1h3',
  link: 'M6.5 9.500l3-3M7.5 4.500l1.2-1.200a2.83 2.83 0 0 1 4 4L11.5 8.500M8.5 11.500l-1.2 1.200a2.83 2.83 0 0 1-4-4L4.5 7.5',
  filter: 'M2 4h12M4.5 8h7M6.5 12h3',
  download: 'M8 2v8M4.5 6.800L8 10.300l3.5-3.500M2.5 13.500h11',
  arrowRight: 'M3 8h10M9 4l4 4-4 4',
  schema: 'M2.5 2.500h11v11h-11zM2.5 6h11M6.5 6v7.5',
  attestation: 'M8 1.500l5 2v4c0 3.3-2.1 5.7-5 7-2.9-1.3-5-3.7-5-7v-4l5-2ZM5.7 8l1.7 1.7 3-3.2',
  address: 'M8 8a2.7 2.7 0 1 0 0-5.400A2.7 2.7 0 0 0 8 8ZM2.7 14c.5-2.6 2.7-4 5.3-4s4.8 1.4 5.3 4',
  chain: 'M8 1.500l5.6 3.250v6.500L8 14.500l-5.6-3.250v-6.500L8 1.500ZM2.4 4.750L8 8l5.6-3.250M8 8v6.5',
  empty: 'M2 9l2-6.500h8L14 9v4.500H2V9ZM2 9h3.500l1 1.700h3l1-1.700H14',
  retry: 'M13.5 8a5.5 5.5 0 1 1-1.6-3.900L13.5 5.500M13.5 2v3.500H10',
  menu: 'M2 4.500h12M2 8h12M2 11.500h12',
} as const

export type IconName = keyof typeof paths

/** A decorative picture: the text beside it, or the label of its button, carries the meaning. */
export function Icon({ name, className }: { readonly name: IconName; readonly className?: string }) {
  return (
    <svg className={classNames(styles.icon, className)} viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
