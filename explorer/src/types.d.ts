import 'react'

declare module 'react' {
  interface CSSProperties {
    /** Custom properties, which components hand to their stylesheets. */
    [property: `--${string}`]: string | number | undefined
  }
}
