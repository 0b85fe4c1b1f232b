/**
 * Returns the ref of a checkbox for all of a list, which says whether some of it, but not all, is selected. HTML has no attribute for that.
 *
 * @example
 * <input type="checkbox" ref={mixed(!areAll && areSome)} checked={areAll} />
 */
export function mixed(isMixed: boolean): (box: HTMLInputElement | null) => void {
  return (box) => {
    if (box) box.indeterminate = isMixed
  }
}
