/** The shapes of one icon of the set by its file: the types of the whole set are 7 MB. */
declare module '@tabler/icons-react/dist/esm/icons/*.mjs' {
  const shapes: readonly (readonly ['path', { readonly d: string }])[]
  export { shapes as __iconNode }
}
