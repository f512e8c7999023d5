#!/usr/bin/env bash
# Uploads with curl; see ../clients.ts for what is asked and answered.
body=$(mktemp)
trap 'rm -f "$body"' EXIT
while IFS=$'\t' read -r url key sending size fields; do
  {
    IFS='&' read -ra pairs <<<"$fields"
    for pair in "${pairs[@]}"; do
      printf -- '--refused\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' "${pair%%=*}" "${pair#*=}"
    done
    printf -- '--refused\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%%PDF-1.7\n'
    head -c "$size" /dev/zero
    printf '\r\n--refused--\r\n'
  } >"$body"
  how=(-H 'expect:')
  case $sending in
    chunked) how+=(-H 'transfer-encoding: chunked') ;;
    expect) how=(-H 'expect: 100-continue' --expect100-timeout 60) ;;
    h2c) how+=(--http2-prior-knowledge) ;;
  esac
  curl -sS -X POST -H "x-api-key: $key" -H 'content-type: multipart/form-data; boundary=refused' "${how[@]}" \
    -T "$body" -w '\n%{http_code}\n' "$url" 2>&1 | {
    answer=$(cat)
    printf '%s %s\n' "$(tail -n 1 <<<"$answer")" "$(head -n 1 <<<"$answer")"
  }
done
