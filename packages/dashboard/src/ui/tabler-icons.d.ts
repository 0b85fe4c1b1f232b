/** One icon of the set by its file: the types of the whole set are 7 MB. */
declare module '@tabler/icons-react/dist/esm/icons/*.mjs' {
  import type { FunctionComponent, SVGProps } from 'react'

  const icon: FunctionComponent<Omit<SVGProps<SVGSVGElement>, 'stroke'> & { size?: number; stroke?: number }>
  export default icon
}
