interface LogoProps {
  /**
   * Size in CSS pixels.
   * @default 24
   */
  readonly size?: number
}

/** Draws the mark of the product: a key whose bow is a ring, split like a roll. The name is beside it as text. */
export function Logo({ size = 24 }: LogoProps) {
  return (
    <svg className="logo" width={size} height={size} viewBox="0 0 32 32" fill="none" strokeWidth="5" aria-hidden>
      <path stroke="var(--accent)" d="M20.8 13.36A8.9 8.9 0 1 1 4.23 7.66" />
      <path stroke="var(--b)" d="M6.52 4.99A8.9 8.9 0 0 1 20.64 9.85" />
      <path stroke="var(--accent)" strokeLinejoin="round" d="M18.4 18.4 28.4 28.4M23.4 23.4l4.2-4.2" />
    </svg>
  )
}
