"""Asks a TableBackend what the documentation of PyPI's postgrest client shows, and compares the answers with PostgREST's.

    python cases.py http://127.0.0.1:8080

The server has the table `measurements` with the rows of ROWS; each case starts with them. Prints a line for each case that
fails, and at last how many passed.
"""

import sys
from datetime import datetime, timezone
from uuid import UUID

from postgrest import SyncPostgrestClient
from postgrest.exceptions import APIError
from postgrest.types import CountMethod, ReturnMethod

ROWS = [
    {"id": 1, "name": "Alpha", "value": 1.5, "is_valid": True, "note": "first, of (five)",
     "taken_at": "2026-01-01T00:00:00+00:00", "sensor": "00000000-0000-0000-0000-00000000000a"},
    {"id": 2, "name": "beta", "value": -2, "is_valid": False, "note": None,
     "taken_at": "2026-01-02T12:30:00.25+00:00", "sensor": "00000000-0000-0000-0000-00000000000b"},
    {"id": 3, "name": "Gamma %", "value": 0, "is_valid": True, "note": "",
     "taken_at": "2026-01-03T00:00:00+00:00", "sensor": None},
    {"id": 4, "name": "delta", "value": 1e300, "is_valid": None, "note": "say \"yes\"",
     "taken_at": "2026-01-04T00:00:00+00:00", "sensor": None},
    {"id": 5, "name": "épsilon", "value": 7, "is_valid": True, "note": "back\\slash",
     "taken_at": "2026-01-05T00:00:00+00:00", "sensor": None},
]
NEW = {"id": 6, "name": "zeta", "value": 6, "is_valid": True, "note": "n", "taken_at": "2026-01-06T00:00:00+00:00",
       "sensor": None}

client = SyncPostgrestClient(sys.argv[1], retry_enabled=False)
cases = []


def case(function):
    cases.append(function)
    return function


def table():
    return client.from_("measurements")


def ids(request):
    return sorted(row["id"] for row in request.execute().data)


def finds(name, expected, build):
    """Registers a case that selects ids."""
    def run():
        found = ids(build(table().select("id")))
        assert found == expected, f"{found} instead of {expected}"
    run.__name__ = name
    cases.append(run)


def gives(name, expected, build):
    """Registers a case with an expected value of `data`."""
    def run():
        data = build().execute().data
        assert data == expected, f"{data!r} instead of {expected!r}"
    run.__name__ = name
    cases.append(run)


def refuses(name, code, build, **fields):
    """Registers a case that fails with PostgREST's code, and with its message, details or hint."""
    def run():
        try:
            data = build().execute()
        except APIError as error:
            assert error.code == code, f"{error!r} instead of {code}"
            for field, expected in fields.items():
                found = getattr(error, field)
                assert found == expected, f"{field} {found!r} instead of {expected!r}"
        else:
            raise AssertionError(f"{data} instead of the error {code}")
    run.__name__ = name
    cases.append(run)


# Reading

gives("select all", ROWS, lambda: table().select("*").order("id"))
gives("select nothing named", ROWS, lambda: table().select().order("id"))
gives("select one column", [{"id": 1}], lambda: table().select("id").eq("id", 1))
gives("select columns", [{"name": "Alpha", "id": 1}], lambda: table().select("name", "id").eq("id", 1))
gives("select columns with blanks", [{"name": "Alpha", "id": 1}], lambda: table().select("name, id").eq("id", 1))
gives("select under another name", [{"title": "Alpha"}], lambda: table().select("title:name").eq("id", 1))
gives("select twice", [{"id": 1, "again": 1}], lambda: table().select("id,again:id").eq("id", 1))
refuses("select unknown", "42703", lambda: table().select("nobody"),
        message="column measurements.nobody does not exist")
refuses("select a cast", "PGRST127", lambda: table().select("id::text"))
refuses("select an embedded table", "PGRST127", lambda: table().select("id,others(id)"))
refuses("select an aggregate", "PGRST127", lambda: table().select("value.sum()"))

finds("eq integer", [1], lambda q: q.eq("id", 1))
finds("eq text", [1], lambda q: q.eq("name", "Alpha"))
finds("eq text with a comma", [1], lambda q: q.eq("note", "first, of (five)"))
finds("eq text with quotes", [4], lambda q: q.eq("note", 'say "yes"'))
finds("eq text with a backslash", [5], lambda q: q.eq("note", "back\\slash"))
finds("eq empty text", [3], lambda q: q.eq("note", ""))
finds("eq accents", [5], lambda q: q.eq("name", "épsilon"))
finds("eq true", [1, 3, 5], lambda q: q.eq("is_valid", True))
finds("eq false", [2], lambda q: q.eq("is_valid", False))
finds("eq real", [1], lambda q: q.eq("value", 1.5))
finds("eq great real", [4], lambda q: q.eq("value", 1e300))
finds("eq uuid", [1], lambda q: q.eq("sensor", UUID(int=10)))
finds("eq uuid in upper case", [2], lambda q: q.eq("sensor", str(UUID(int=11)).upper()))
finds("eq timestamp", [2], lambda q: q.eq("taken_at", "2026-01-02T12:30:00.25+00:00"))
finds("eq timestamp elsewhere", [2], lambda q: q.eq("taken_at", "2026-01-02T13:30:00.25+01:00"))
finds("eq timestamp of python", [1], lambda q: q.eq("taken_at", datetime(2026, 1, 1, tzinfo=timezone.utc)))
finds("neq", [2, 3, 4, 5], lambda q: q.neq("id", 1))
finds("neq leaves null out", [2], lambda q: q.neq("is_valid", True))
finds("gt", [4, 5], lambda q: q.gt("id", 3))
finds("gte", [3, 4, 5], lambda q: q.gte("id", 3))
finds("lt", [1, 2], lambda q: q.lt("id", 3))
finds("lte", [1, 2, 3], lambda q: q.lte("id", 3))
finds("gt real", [1, 4, 5], lambda q: q.gt("value", 0))
finds("lt negative", [2], lambda q: q.lt("value", -1))
finds("gte timestamp", [4, 5], lambda q: q.gte("taken_at", "2026-01-04"))
finds("gt text", [2, 4, 5], lambda q: q.gt("name", "a"))
finds("like", [1], lambda q: q.like("name", "Al%"))
finds("like with an asterisk", [1], lambda q: q.like("name", "Al*"))
finds("like one character", [2], lambda q: q.like("name", "b_ta"))
finds("like an escaped sign", [3], lambda q: q.like("name", r"%\%"))
finds("like minds case", [], lambda q: q.like("name", "al%"))
finds("ilike", [1], lambda q: q.ilike("name", "aL%"))
finds("ilike in or", [1, 3], lambda q: q.or_("name.ilike.al*,name.ilike.gAm*"))
finds("like all of", [1], lambda q: q.like_all_of("name", "A%,%a"))
finds("like any of", [1, 2], lambda q: q.like_any_of("name", "A%,b%"))
finds("ilike all of", [1], lambda q: q.ilike_all_of("name", "a%,%A"))
finds("ilike any of", [1, 2], lambda q: q.ilike_any_of("name", "a%,B%"))
finds("match of a dictionary", [3], lambda q: q.match({"is_valid": True, "value": 0}))
finds("regular expression", [1, 3], lambda q: q.filter("name", "match", "^[AG]"))
finds("regular expression without case", [1, 2], lambda q: q.filter("name", "imatch", "^[ab]"))
finds("is null", [4], lambda q: q.is_("is_valid", None))
finds("is null in words", [4], lambda q: q.is_("is_valid", "null"))
finds("is true", [1, 3, 5], lambda q: q.is_("is_valid", True))
finds("is false", [2], lambda q: q.is_("is_valid", False))
finds("is unknown", [4], lambda q: q.is_("is_valid", "unknown"))
finds("is not null", [1, 3, 4, 5], lambda q: q.not_.is_("note", "null"))
finds("is not_null", [1, 3, 4, 5], lambda q: q.is_("note", "not_null"))
finds("in", [1, 3], lambda q: q.in_("id", [1, 3, 99]))
finds("in text", [1, 2], lambda q: q.in_("name", ["Alpha", "beta"]))
finds("in text with commas", [1], lambda q: q.in_("note", ["first, of (five)", "x"]))
finds("in text with quotes", [4], lambda q: q.in_("note", ['say "yes"', "x"]))
finds("in nothing", [], lambda q: q.in_("id", []))
finds("in one empty text", [], lambda q: q.in_("note", [""]))
finds("in two texts, one empty", [3], lambda q: q.in_("note", ["", "x"]))
finds("not in", [4, 5], lambda q: q.not_.in_("id", [1, 2, 3]))
finds("not eq", [2], lambda q: q.not_.eq("is_valid", True))
finds("not like", [2, 3, 4, 5], lambda q: q.not_.like("name", "A%"))
finds("is distinct", [2, 4], lambda q: q.filter("is_valid", "isdistinct", "true"))
finds("eq any", [1, 2], lambda q: q.filter("id", "eq(any)", "{1,2}"))
finds("gt all", [4, 5], lambda q: q.filter("id", "gt(all)", "{1,3}"))
finds("or", [1, 5], lambda q: q.or_("id.eq.1,id.eq.5"))
finds("or with and", [1, 2, 5], lambda q: q.or_("id.lt.3,and(is_valid.is.true,value.gt.5)"))
finds("or with not", [2, 3], lambda q: q.or_("id.eq.2,not.and(value.neq.0,id.gt.0)"))
finds("or with a quoted value", [1], lambda q: q.or_('note.eq."first, of (five)",id.eq.99'))
finds("or with in", [1, 2], lambda q: q.or_("id.in.(1,2),id.eq.99"))
finds("not or", [2, 3, 4], lambda q: q.not_.or_("id.eq.1,id.eq.5"))
finds("two filters", [5], lambda q: q.eq("is_valid", True).gt("value", 5))
finds("two filters of one column", [2, 3], lambda q: q.gte("id", 2).lte("id", 3))

refuses("filter of an unknown column", "42703", lambda: table().select("*").eq("nobody", 1))
refuses("eq of another type", "22P02", lambda: table().select("*").eq("id", "one"),
        message='invalid input syntax for type bigint: "one"')
refuses("eq null of an integer", "22P02", lambda: table().select("*").eq("id", None))
refuses("eq beyond the type", "22003", lambda: table().select("*").eq("id", 2**70),
        message=f'value "{2**70}" is out of range for type bigint')
refuses("eq of no uuid", "22P02", lambda: table().select("*").eq("sensor", "x"),
        message='invalid input syntax for type uuid: "x"')
refuses("eq of no timestamp", "22007", lambda: table().select("*").eq("taken_at", "x"))
refuses("in of another type", "22P02", lambda: table().select("*").in_("id", [1, "x"]))
refuses("like of a number", "42883", lambda: table().select("*").like("id", "1%"),
        message="operator does not exist: bigint ~~ unknown")
refuses("is true of a text", "42804", lambda: table().select("*").is_("name", True))
refuses("an unknown operator", "PGRST100", lambda: table().select("*").filter("id", "equals", "1"))
refuses("a broken or", "PGRST100", lambda: table().select("*").or_("id.eq.1,("))
refuses("contains", "42883", lambda: table().select("*").contains("name", ["a"]))
refuses("contained by", "42883", lambda: table().select("*").contained_by("name", ["a"]))
refuses("overlaps", "42883", lambda: table().select("*").ov("name", ["a"]))
refuses("range to the right", "42883", lambda: table().select("*").range_gt("id", (1, 2)))
refuses("range adjacent", "42883", lambda: table().select("*").range_adjacent("id", (1, 2)))
refuses("search for words", "PGRST127", lambda: table().select("*").text_search("name", "alpha"))
refuses("search for words, fts", "PGRST127", lambda: table().select("*").fts("name", "alpha"))
refuses("a plan", "PGRST107", lambda: table().select("*").explain())


@case
def refuses_an_unknown_function():
    try:
        client.rpc("nothing", {}).execute()
    except APIError as error:
        assert error.code == "PGRST202", repr(error)
    else:
        raise AssertionError("no error")


# Order and pages

def order(name, expected, build):
    gives(name, [{"id": number} for number in expected], lambda: build(table().select("id")))


order("order", [1, 2, 3, 4, 5], lambda q: q.order("id"))
order("order descending", [5, 4, 3, 2, 1], lambda q: q.order("id", desc=True))
order("order by text", [1, 3, 2, 4, 5], lambda q: q.order("name"))
order("order by real", [2, 3, 1, 5, 4], lambda q: q.order("value"))
order("order with null last", [2, 1, 3, 5, 4], lambda q: q.order("is_valid").order("id"))
order("order with null first, descending", [4, 1, 3, 5, 2], lambda q: q.order("is_valid", desc=True).order("id"))
order("order with nulls first", [4, 2, 1, 3, 5], lambda q: q.order("is_valid", nullsfirst=True).order("id"))
order("order with nulls last, descending", [1, 3, 5, 2, 4],
      lambda q: q.order("is_valid", desc=True, nullsfirst=False).order("id"))
refuses("order by an unknown column", "42703", lambda: table().select("id").order("nobody"))
order("limit", [1, 2], lambda q: q.order("id").limit(2))
order("limit of none", [], lambda q: q.order("id").limit(0))
order("offset", [4, 5], lambda q: q.order("id").offset(3))
order("offset below zero", [1, 2, 3, 4, 5], lambda q: q.order("id").offset(-4))
order("range", [2, 3, 4], lambda q: q.order("id").range(1, 3))
order("range beyond the end", [5], lambda q: q.order("id").range(4, 99))
refuses("limit below zero", "PGRST103", lambda: table().select("id").limit(-1),
        message="Requested range not satisfiable", details="Limit should be greater than or equal to zero.")
refuses("offset beyond the end, counted", "PGRST103",
        lambda: table().select("id", count=CountMethod.exact).offset(6),
        details="An offset of 6 was requested, but there are only 5 rows.")


def sends(method, headers, path="/measurements", **arguments):
    return client.session.request(method, path, headers=headers, **arguments)


@case
def the_range_of_a_header():
    answer = sends("GET", {"Range-Unit": "items", "Range": "1-2"}, "/measurements?select=id&order=id")
    assert answer.json() == [{"id": 2}, {"id": 3}], answer.text
    assert answer.headers["Content-Range"] == "1-2/*", answer.headers


@case
def an_open_range_of_a_header():
    answer = sends("GET", {"Range": "3-"}, "/measurements?select=id&order=id")
    assert answer.json() == [{"id": 4}, {"id": 5}], answer.text


@case
def a_range_and_a_limit():
    answer = sends("GET", {"Range": "0-1"}, "/measurements?select=id&order=id&limit=3")
    assert answer.json() == [{"id": 1}, {"id": 2}], answer.text


@case
def a_range_the_wrong_way():
    answer = sends("GET", {"Range": "2-1"})
    assert answer.status_code == 416 and answer.json()["code"] == "PGRST103", answer.text


# Counts

@case
def an_exact_count():
    answer = table().select("id", count=CountMethod.exact).gt("id", 2).limit(1).execute()
    assert answer.count == 3 and len(answer.data) == 1, answer


@case
def a_planned_count():
    assert table().select("id", count=CountMethod.planned).execute().count == 5


@case
def an_estimated_count():
    assert table().select("id", count=CountMethod.estimated).execute().count == 5


@case
def a_count_without_rows():
    answer = table().select("*", count=CountMethod.exact, head=True).execute()
    assert answer.count == 5 and answer.data == [], answer


@case
def a_count_of_none():
    assert table().select("id", count=CountMethod.exact).eq("id", 99).execute().count == 0


@case
def the_status_of_a_part():
    answer = sends("GET", {"Prefer": "count=exact"}, "/measurements?limit=2")
    assert answer.status_code == 206 and answer.headers["Content-Range"] == "0-1/5", answer.headers
    assert answer.headers["Preference-Applied"] == "count=exact", answer.headers


# Forms of an answer

gives("single", {"id": 1, "name": "Alpha"}, lambda: table().select("id,name").eq("id", 1).single())
refuses("single of none", "PGRST116", lambda: table().select("*").eq("id", 99).single(),
        message="Cannot coerce the result to a single JSON object", details="The result contains 0 rows")
refuses("single of many", "PGRST116", lambda: table().select("*").single(), details="The result contains 5 rows")


@case
def maybe_single():
    assert table().select("id").eq("id", 1).maybe_single().execute().data == {"id": 1}


@case
def maybe_single_of_none():
    assert table().select("id").eq("id", 99).maybe_single().execute() is None


gives("csv", "id,name,is_valid,note\n2,beta,f,\n3,\"Gamma %\",t,\"\"",
      lambda: table().select("id,name,is_valid,note").in_("id", [2, 3]).order("id").csv())
gives("without nulls", [{"id": 4, "note": 'say "yes"'}],
      lambda: table().select("id,note,is_valid,sensor").eq("id", 4).strip_nulls())
gives("one without nulls", {"id": 4}, lambda: table().select("id,is_valid").eq("id", 4).strip_nulls().single())


@case
def the_content_types():
    assert sends("GET", {}).headers["Content-Type"].startswith("application/json")
    answer = sends("GET", {"Accept": "application/vnd.pgrst.object+json"}, "/measurements?id=eq.1")
    assert answer.headers["Content-Type"].startswith("application/vnd.pgrst.object+json"), answer.headers


@case
def a_type_that_is_not_served():
    answer = sends("GET", {"Accept": "image/png"})
    assert answer.status_code == 406 and answer.json()["code"] == "PGRST107", answer.text


@case
def the_form_of_an_error():
    answer = sends("GET", {}, "/measurements?nobody=eq.1")
    assert answer.status_code == 400 and set(answer.json()) == {"code", "message", "details", "hint"}, answer.text


# Inserting

gives("insert", [NEW], lambda: table().insert(NEW))
gives("insert a list", [NEW], lambda: table().insert([NEW]))
gives("insert without an answer", [], lambda: table().insert(NEW, returning=ReturnMethod.minimal))
gives("insert and select", [{"id": 6}], lambda: table().insert(NEW).select("id"))
gives("insert and take one", {"id": 6}, lambda: table().insert(NEW).select("id").single())
gives("insert no rows", [], lambda: table().insert([]))
gives("insert with a number as text", [{"id": 7, "value": 3.5}],
      lambda: table().insert({**NEW, "id": "7", "value": "3.5"}).select("id,value"))
gives("insert python's types", [{"id": 8, "taken_at": "2026-02-01T00:00:00+00:00", "sensor": str(UUID(int=12))}],
      lambda: table().insert({**NEW, "id": 8, "taken_at": datetime(2026, 2, 1, tzinfo=timezone.utc),
                              "sensor": UUID(int=12)}).select("id,taken_at,sensor"))
gives("insert rows with different keys", [{"id": 8, "note": None}, {"id": 9, "note": "x"}],
      lambda: table().insert([{k: v for k, v in {**NEW, "id": 8}.items() if k != "note"},
                              {**NEW, "id": 9, "note": "x"}]).select("id,note"))
refuses("insert a key that exists", "23505", lambda: table().insert({**NEW, "id": 1}),
        message='duplicate key value violates unique constraint "measurements_pkey"',
        details="Key (id)=(1) already exists.")
refuses("insert without a needed column", "23502", lambda: table().insert({"id": 6}),
        message='null value in column "name" of relation "measurements" violates not-null constraint')
refuses("insert an unknown column", "PGRST204", lambda: table().insert({**NEW, "nobody": 1}),
        message="Could not find the 'nobody' column of 'measurements' in the schema cache")
refuses("insert another type", "22P02", lambda: table().insert({**NEW, "id": "x"}))
refuses("insert beyond the type", "22003", lambda: table().insert({**NEW, "id": 2**70}))
refuses("insert no object", "PGRST102", lambda: table().insert([1]))


@case
def a_failed_insert_changes_nothing():
    try:
        table().insert([NEW, {**NEW, "id": 1}]).execute()
    except APIError:
        pass
    assert ids(table().select("id")) == [1, 2, 3, 4, 5]


@case
def a_body_that_is_not_json():
    answer = sends("POST", {"Content-Type": "application/json"}, content="{")
    assert answer.status_code == 400 and answer.json() == {
        "code": "PGRST102", "message": "Empty or invalid json", "details": None, "hint": None}, answer.text


@case
def the_status_and_headers_of_an_insert():
    answer = sends("POST", {"Prefer": "return=headers-only"}, json=NEW)
    assert answer.status_code == 201 and answer.text == "", answer.text
    assert answer.headers["Location"] == "/measurements?id=eq.6", answer.headers
    assert answer.headers["Preference-Applied"] == "return=headers-only", answer.headers
    assert answer.headers["Content-Range"] == "*/*", answer.headers


@case
def the_count_of_an_insert():
    assert table().insert([NEW, {**NEW, "id": 7}], count=CountMethod.exact).execute().count == 2


# Upserting

gives("upsert a new row", [NEW], lambda: table().upsert(NEW))
gives("upsert an existing row", [{**NEW, "id": 1}], lambda: table().upsert({**NEW, "id": 1}))
gives("upsert by the key", [{"id": 1, "name": "New"}],
      lambda: table().upsert({**NEW, "id": 1, "name": "New"}, on_conflict="id").select("id,name"))
gives("insert as an upsert", [{"id": 1, "name": "New"}],
      lambda: table().insert({**NEW, "id": 1, "name": "New"}, upsert=True).select("id,name"))
gives("upsert of old and new", [{"id": 1}, {"id": 6}],
      lambda: table().upsert([{**NEW, "id": 1}, NEW]).select("id").order("id"))
gives("upsert that ignores duplicates", [{"id": 6}],
      lambda: table().upsert([{**NEW, "id": 1}, NEW], ignore_duplicates=True).select("id"))
gives("upsert with defaults", [{"id": 6}], lambda: table().upsert([NEW], default_to_null=False).select("id"))
refuses("upsert of one key twice", "21000", lambda: table().upsert([NEW, NEW]),
        message="ON CONFLICT DO UPDATE command cannot affect row a second time")
refuses("upsert by another column", "42P10", lambda: table().upsert(NEW, on_conflict="name"))


@case
def an_upsert_keeps_the_columns_that_are_not_sent():
    row = {"id": 1, "name": "New", "value": 0, "taken_at": "2026-01-01T00:00:00+00:00"}
    assert table().upsert(row).execute().data == [{**ROWS[0], **row}]
    assert table().select("*").eq("id", 1).execute().data == [{**ROWS[0], **row}]


@case
def an_upsert_that_ignores_changes_nothing():
    table().upsert({**NEW, "id": 1}, ignore_duplicates=True).execute()
    assert table().select("*").eq("id", 1).execute().data == [ROWS[0]]


@case
def the_status_of_an_upsert():
    headers = {"Prefer": "resolution=merge-duplicates,return=representation"}
    assert sends("POST", headers, json={**NEW, "id": 1}).status_code == 200
    answer = sends("POST", headers, json=NEW)
    assert answer.status_code == 201, answer.status_code
    assert answer.headers["Preference-Applied"] == "resolution=merge-duplicates, return=representation"


# Updating

gives("update", [{**ROWS[0], "name": "New"}], lambda: table().update({"name": "New"}).eq("id", 1))
gives("update to null", [{**ROWS[0], "note": None}], lambda: table().update({"note": None}).eq("id", 1))
gives("update and select", [{"name": "New"}], lambda: table().update({"name": "New"}).eq("id", 1).select("name"))
gives("update none", [], lambda: table().update({"name": "New"}).eq("id", 99))
gives("update of nothing", [], lambda: table().update({}).eq("id", 1))
gives("update without an answer", [],
      lambda: table().update({"name": "New"}, returning=ReturnMethod.minimal).eq("id", 1))
gives("update a key", [{**ROWS[0], "id": 77}], lambda: table().update({"id": 77}).eq("id", 1))
refuses("update a key to one that exists", "23505", lambda: table().update({"id": 2}).eq("id", 1))
refuses("update to null of a needed column", "23502", lambda: table().update({"name": None}).eq("id", 1))
refuses("update an unknown column", "PGRST204", lambda: table().update({"nobody": 1}).eq("id", 1))
refuses("update to another type", "22P02", lambda: table().update({"id": "x"}).eq("id", 1))
refuses("update of too many", "PGRST124", lambda: table().update({"note": "x"}).gt("id", 0).max_affected(2),
        details="The query affects 5 rows")


@case
def an_update_of_several():
    answer = table().update({"note": "x"}, count=CountMethod.exact).gt("id", 3).execute()
    assert answer.count == 2 and sorted(row["id"] for row in answer.data) == [4, 5], answer


@case
def an_update_within_the_limit():
    assert len(table().update({"note": "x"}).gt("id", 3).max_affected(2).execute().data) == 2


@case
def the_range_of_an_update():
    answer = sends("PATCH", {}, "/measurements?id=lt.3", json={"note": "x"})
    assert answer.status_code == 204 and answer.headers["Content-Range"] == "0-1/*", answer.headers
    answer = sends("PATCH", {}, "/measurements?id=eq.99", json={"note": "x"})
    assert answer.headers["Content-Range"] == "*/*", answer.headers


@case
def one_object_of_many_updates_none():
    headers = {"Accept": "application/vnd.pgrst.object+json", "Prefer": "return=representation"}
    answer = sends("PATCH", headers, json={"note": "x"})
    assert answer.status_code == 406 and answer.json()["code"] == "PGRST116", answer.text
    assert table().select("note").eq("id", 2).execute().data == [{"note": None}]


# Deleting

gives("delete", [ROWS[0]], lambda: table().delete().eq("id", 1))
gives("delete none", [], lambda: table().delete().eq("id", 99))
gives("delete without an answer", [], lambda: table().delete(returning=ReturnMethod.minimal).eq("id", 1))
gives("delete and select", [{"id": 1}], lambda: table().delete().eq("id", 1).select("id"))
refuses("delete too many", "PGRST124", lambda: table().delete().gt("id", 0).max_affected(1))


@case
def a_deletion_is_counted():
    answer = table().delete(count=CountMethod.exact).in_("id", [1, 2]).execute()
    assert answer.count == 2, answer
    assert ids(table().select("id")) == [3, 4, 5]


# Preferences and methods

@case
def an_unknown_preference():
    assert sends("GET", {"Prefer": "anything"}).status_code == 200
    answer = sends("GET", {"Prefer": "handling=strict, anything"})
    assert answer.status_code == 400 and answer.json()["code"] == "PGRST122", answer.text


@case
def an_unsupported_method():
    answer = sends("PUT", {}, "/measurements?id=eq.1", json=NEW)
    assert answer.status_code == 405 and answer.json()["code"] == "PGRST117", answer.text


def reset():
    client.session.request("DELETE", "/measurements")
    client.session.request("POST", "/measurements", json=ROWS).raise_for_status()


def main():
    failed = 0
    for run in cases:
        reset()
        try:
            run()
        except Exception as error:
            failed += 1
            print(f"FAILED {run.__name__}: {type(error).__name__} {error}")
    print(f"{len(cases) - failed} of {len(cases)} cases passed")
    sys.exit(0 if failed == 0 else 1)


main()
